import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { EngineError } from './engine-error'

const run = promisify(execFile)

/** A user of this machine. */
export interface Account {
  name: string
  uid: number
  gid: number
}

/**
 * The user that PostgreSQL runs as: it refuses to run as root, so root hands it to an unprivileged
 * one. Undefined for everybody else, who run it as themselves.
 */
export async function unprivilegedAccount(): Promise<Account | undefined> {
  if (process.getuid?.() !== 0) return undefined
  const account = findAccount(await readFile('/etc/passwd', 'utf8'), ['postgres', 'nobody'])
  if (account) return account
  throw new EngineError(
    'PostgreSQL does not run as root and there is neither a user postgres nor nobody to run it as',
  )
}

/** The first of `names` that a passwd file knows and that is not root under another name. */
export function findAccount(passwd: string, names: string[]): Account | undefined {
  const accounts = passwd.split('\n').map((line) => {
    const [name = '', , uid, gid] = line.split(':')
    return { name, uid: Number(uid), gid: Number(gid) }
  })
  return names
    .map((name) => accounts.find((account) => account.name === name && account.uid !== 0))
    .find((account) => account !== undefined)
}

/** Whether this user can reach a folder; tried rather than computed, so access lists count too. */
export async function canEnter(account: Account, folder: string): Promise<boolean> {
  return (await failureOf('/bin/sh', ['-c', 'cd -- "$0"', folder], account)) === undefined
}

/** Runs a short command as `account` (or as ourselves) and tells why it failed, if it did. */
export async function failureOf(
  command: string,
  args: string[],
  account?: Account,
): Promise<string | undefined> {
  const identity = account && { uid: account.uid, gid: account.gid }
  try {
    // From the root folder, since the account may not be allowed into ours.
    await run(command, args, { cwd: '/', ...identity })
    return undefined
  } catch (error) {
    const { stderr, message } = error as Error & { stderr?: string }
    return (stderr?.trim() || message).split('\n').slice(-5).join(' | ')
  }
}
