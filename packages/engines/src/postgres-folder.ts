import { createHash } from 'node:crypto'
import { chmod, chown, mkdir, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { canEnter } from './account'
import type { Account } from './account'
import { EngineError, messageOf } from './engine-error'
import type { EngineLog } from './engine-log'

/** Root's location for the data of an account that cannot enter the data folder. */
const machineDataDir = '/var/lib/sheaf'

/** The folder of PostgreSQL's data, and the account that PostgreSQL therefore runs as. */
export interface PostgresFolder {
  folder: string
  account?: Account
}

interface Wanted {
  dataDir: string
  /** The folder of earlier starts if it is not the default. */
  remembered?: string
  account?: Account
  log: EngineLog
}

/**
 * Finds a folder that the account can enter: `<dataDir>/postgres`, or, for root with a private data folder,
 * one under /var/lib/sheaf, which is then recorded.
 */
export async function choosePostgresFolder(wanted: Wanted): Promise<PostgresFolder> {
  const { dataDir, remembered, account, log } = wanted
  const usual = join(dataDir, 'postgres')
  if (!account) return { folder: remembered ?? usual }

  const owner = await accountOf(remembered ?? usual, account)
  if (remembered) {
    await openFolder(remembered, owner)
    return { folder: remembered, account: owner }
  }
  if (await canEnter(owner, dataDir)) return { folder: usual, account: owner }
  if (await canEnter(owner, dirname(dataDir))) {
    await chmod(dataDir, 0o711) // may be entered but not listed
    return { folder: usual, account: owner }
  }
  const id = createHash('sha256').update(dataDir).digest('hex').slice(0, 16)
  const folder = join(machineDataDir, id, 'postgres')
  await openFolder(folder, owner)
  const message = `stores its data in ${folder}, because user ${owner.name} has no access to ${dataDir}`
  log({ engine: 'postgres', message })
  return { folder, account: owner }
}

/** Creates an empty folder that only the account can access. */
export async function makePrivateFolder(folder: string, account?: Account): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  await chmod(folder, 0o700)
  if (account) await chown(folder, account.uid, account.gid)
}

/** Existing data keeps its owner, who must still be able to read it after a later start. */
async function accountOf(folder: string, fallback: Account): Promise<Account> {
  const found = await stat(folder).catch(() => undefined)
  if (!found || found.uid === 0 || found.uid === fallback.uid) return fallback
  return { name: String(found.uid), uid: found.uid, gid: found.gid }
}

/** Makes the parents of a folder under /var/lib/sheaf enterable, regardless of the umask. */
async function openFolder(folder: string, account: Account): Promise<void> {
  const parent = dirname(folder)
  try {
    for (const step of [machineDataDir, parent]) {
      await mkdir(step, { recursive: true })
      await chmod(step, 0o711)
    }
  } catch (error) {
    throw new EngineError(`cannot create ${parent} for the PostgreSQL data: ${messageOf(error)}`)
  }
  if (await canEnter(account, parent)) return
  throw new EngineError(
    `user ${account.name}, which PostgreSQL runs as, has no access to ${parent}`,
  )
}
