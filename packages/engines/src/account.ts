import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { EngineError } from './engine-error'

const run = promisify(execFile)

/** A user account of this machine. */
export interface Account {
  name: string
  uid: number
  gid: number
}

/**
 * Returns the account to run PostgreSQL as. PostgreSQL refuses to run as root, so root uses an unprivileged
 * account. Undefined for any other user, who runs it under their own account.
 */
export async function unprivilegedAccount(): Promise<Account | undefined> {
  if (process.getuid?.() !== 0) return undefined
  const account = findAccount(await readFile('/etc/passwd', 'utf8'), ['postgres', 'nobody'])
  if (account) return account
  throw new EngineError(
    'PostgreSQL cannot run as root, and neither user postgres nor user nobody exists to run it as',
  )
}

/** Returns the first of `names` in a passwd file that is not an alias of root. */
export function findAccount(passwd: string, names: string[]): Account | undefined {
  const accounts = passwd.split('\n').map((line) => {
    const [name = '', , uid, gid] = line.split(':')
    return { name, uid: Number(uid), gid: Number(gid) }
  })
  return names
    .map((name) => accounts.find((account) => account.name === name && account.uid !== 0))
    .find((account) => account !== undefined)
}

/**
 * Returns whether this account can enter a folder; tested rather than computed, so that access control lists
 * are respected.
 */
export async function canEnter(account: Account, folder: string): Promise<boolean> {
  return (await failureOf('/bin/sh', ['-c', 'cd -- "$0"', folder], account)) === undefined
}

/** Runs a short command as `account`, or as the current user, and returns the reason if it fails. */
export async function failureOf(
  command: string,
  args: string[],
  account?: Account,
): Promise<string | undefined> {
  const identity = account && { uid: account.uid, gid: account.gid }
  try {
    // In the root folder, since the account may lack access to the current one.
    await run(command, args, { cwd: '/', ...identity })
    return undefined
  } catch (error) {
    const { stderr, message } = error as Error & { stderr?: string }
    return (stderr?.trim() || message).split('\n').slice(-5).join(' | ')
  }
}
