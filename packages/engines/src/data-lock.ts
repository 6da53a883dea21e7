import { randomUUID } from 'node:crypto'
import {
  access,
  constants,
  mkdir,
  readFile,
  readdir,
  realpath,
  rename,
  rm,
  writeFile,
} from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { EngineError, messageOf } from './engine-error'
import { identifyProcess, isAlive } from './process-table'
import type { ProcessIdentity } from './process-table'

/** The exclusive right to a data folder; ends with `release()` or with the process. */
export interface DataLock extends AsyncDisposable {
  readonly dataDir: string
  release(): Promise<void>
}

/** Longer than any competing process needs to notice this claim and withdraw its own. */
const rivalPatienceMs = 500

/**
 * Locks a data folder, and creates it if necessary. Throws an error that names the holder when it is locked.
 *
 * Each process writes a claim file of its own and holds the lock if it then finds no other claim of a running
 * process. A stale claim may be removed by any process, since its name is never reused. A single lock file
 * would leave a gap between detecting that it is stale and replacing it, in which two processes could both
 * acquire it.
 */
export async function lockDataDir(dataDir: string): Promise<DataLock> {
  const { folder, claims } = await openFolders(dataDir)
  const own = await writeClaim(claims)
  const release = () => rm(own.file, { force: true })
  const deadline = Date.now() + rivalPatienceMs
  for (;;) {
    const rival = (await livingClaims(claims)).find(({ file }) => file !== own.file)
    if (!rival) return { dataDir: folder, release, [Symbol.asyncDispose]: release }
    // Of two concurrent starts the one with the lower name waits for the other to withdraw.
    if (own.file > rival.file || Date.now() > deadline) {
      await release()
      throw new EngineError(
        `the data folder ${folder} is in use by another Sheaf (process ${rival.holder.pid})`,
      )
    }
    await sleep(20)
  }
}

async function openFolders(dataDir: string): Promise<{ folder: string; claims: string }> {
  try {
    await mkdir(dataDir, { recursive: true, mode: 0o700 })
    // Resolved, so that locks, configuration and command lines use one name per folder.
    const folder = await realpath(dataDir)
    const claims = join(folder, 'lock')
    await mkdir(claims, { recursive: true, mode: 0o700 })
    await access(claims, constants.W_OK)
    return { folder, claims }
  } catch (error) {
    throw new EngineError(`the data folder ${dataDir} cannot be used: ${messageOf(error)}`)
  }
}

interface Claim {
  file: string
  holder: ProcessIdentity
}

async function writeClaim(claims: string): Promise<Claim> {
  const holder = identifyProcess(process.pid)
  if (!holder) throw new EngineError('the start time of this process cannot be read')
  const file = join(claims, `${process.pid}-${randomUUID()}.json`)
  const draft = `${file}.draft`
  await writeFile(draft, JSON.stringify(holder), { mode: 0o600 })
  await rename(draft, file) // atomic, so that a claim is never read half-written
  return { file, holder }
}

async function livingClaims(claims: string): Promise<Claim[]> {
  const living: Claim[] = []
  for (const name of await readdir(claims)) {
    if (!name.endsWith('.json')) continue
    const file = join(claims, name)
    const holder = await readHolder(file)
    if (holder && isAlive(holder)) living.push({ file, holder })
    else await rm(file, { force: true })
  }
  return living
}

async function readHolder(file: string): Promise<ProcessIdentity | undefined> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as ProcessIdentity
  } catch {
    return undefined // withdrawn meanwhile, or truncated by a power failure
  }
}
