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

/** One Sheaf's exclusive right to a data folder; it ends with `release()` or with the process. */
export interface DataLock extends AsyncDisposable {
  readonly dataDir: string
  release(): Promise<void>
}

/** Longer than any other starter needs to see our claim and withdraw its own. */
const rivalPatienceMs = 500

/**
 * Locks a data folder, which is made if need be, or refuses in one sentence that names its holder.
 *
 * Each starter writes a claim file of its own and holds the lock if it then sees no other living
 * claim. A dead claim may be removed by anyone, since its name never returns; a single lock file
 * would have a moment between judging it stale and replacing it, in which two starters both win.
 */
export async function lockDataDir(dataDir: string): Promise<DataLock> {
  const { folder, claims } = await openFolders(dataDir)
  const own = await writeClaim(claims)
  const release = () => rm(own.file, { force: true })
  const deadline = Date.now() + rivalPatienceMs
  for (;;) {
    const rival = (await livingClaims(claims)).find(({ file }) => file !== own.file)
    if (!rival) return { dataDir: folder, release, [Symbol.asyncDispose]: release }
    // Of two that start at the same moment the lower name waits for the other to withdraw.
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
    // One folder has one name in locks, configuration and command lines.
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
  await rename(draft, file) // nobody ever reads half a claim
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
    return undefined // withdrawn meanwhile, or cut short when the machine lost power
  }
}
