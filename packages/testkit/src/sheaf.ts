import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { findRunFile, type RunFile } from '@sheaf/cli/run-file'
import { openWith, type Closer } from '@sheaf/kit/lifecycle'
import { findEngine, type EngineName } from './engine-process'
import { createTestDatabase, testEngines } from './engines'
import { eventually } from './eventually'
import { tempDir } from './temp-dir'

/** Options for starting a Sheaf. */
export interface SheafOptions {
  /** The folder of an earlier start, which is kept; by default a new one, deleted at the end. */
  dataDir?: string
  /** The owner's key; required with the folder of an earlier start, since it is printed only once. */
  ownerKey?: string
  /** A database; required with the folder of an earlier start. By default a new one is created. */
  databaseUrl?: string
  /** Lets Sheaf start its own engines, as `make run` does, instead of using those of the tests. */
  ownEngines?: boolean
  /** Further settings. */
  env?: Readonly<Record<string, string>>
  /**
   * A program, with arguments, that executes Sheaf: it receives Node and Sheaf's program as further
   * arguments.
   */
  wrapper?: readonly string[]
}

/** A service of a running Sheaf, as named in its run file. */
export type ServiceName = 'gateway' | 'directory' | 'document-data' | 'webhook'

/** A process of a running Sheaf; engines only with `ownEngines`. */
export type ProcessName = ServiceName | EngineName

/** A user created by the operator's command, with their own key. */
export interface SheafUser {
  readonly id: number
  readonly email: string
  readonly name: string
  readonly key: string
}

/** A complete Sheaf in its own processes, as `make run` starts it; stopped by disposing of it. */
export interface RunningSheaf extends AsyncDisposable {
  readonly url: string
  readonly ownerKey: string
  readonly dataDir: string
  /** Pid of the process that supervises the services. */
  readonly pid: number
  /** Everything that it has printed so far. */
  readonly output: () => string
  /** The running processes, by name. */
  pids(): Promise<RunFile['pids']>
  /** Sends a signal (SIGKILL by default) to a process; resolves to the pid it had. */
  kill(name: ProcessName, signal?: NodeJS.Signals): Promise<number>
  /** Resolves to the new pid when the process is running again and the whole system is ready. */
  restarted(name: ProcessName, previousPid: number): Promise<number>
  /** Resolves when the whole system reports that it is ready. */
  ready(): Promise<void>
  /** Creates the user if needed, and a new key in any case. */
  createUser(email: string, name: string): Promise<SheafUser>
  /** Runs the operator's command; resolves to its output, throws when it fails. */
  operate(...args: string[]): Promise<string>
}

const programs = {
  standalone: join(__dirname, '../../standalone/dist/main.js'),
  cli: join(__dirname, '../../cli/dist/main.js'),
}

/** A first start initializes PostgreSQL and may have to download NATS. */
const startLimitMs = 120_000
const stopLimitMs = 30_000

/** Starts a Sheaf and resolves when it is ready; a failure contains its output. */
export function startSheaf(options: SheafOptions = {}): Promise<RunningSheaf> {
  return openWith(async (closer) => {
    const dataDir = options.dataDir ?? closer.use(await tempDir()).path
    const env = { ...cleanEnvironment(), ...(await settings(options, dataDir, closer)) }
    const process = closer.use(spawnSheaf(env, options.wrapper))
    const run = await process.ready(dataDir)
    const ownerKey = options.ownerKey ?? (await printedKey(process))
    const pids = async () => (await getRunFile(dataDir)).pids
    const operate = async (...args: string[]) => {
      const { stdout } = await promisify(execFile)(node, [programs.cli, ...args], { env })
      return stdout
    }
    return {
      url: run.url,
      ownerKey,
      dataDir,
      pid: run.pids.standalone,
      output: process.output,
      pids,
      kill: async (name, signal = 'SIGKILL') =>
        signalProcess(name, (await findPids(dataDir))[name], signal),
      restarted: (name, previousPid) =>
        untilRestarted({
          url: run.url,
          previousPid,
          pid: async () => (await findPids(dataDir))[name],
        }),
      ready: async () => {
        const pid = run.pids.standalone
        await untilRestarted({ url: run.url, previousPid: 0, pid: () => Promise.resolve(pid) })
      },
      createUser: async (email, name) =>
        JSON.parse(await operate('users', 'create', email, '--name', name, '--json')) as SheafUser,
      operate,
      [Symbol.asyncDispose]: () => closer.close(),
    }
  })
}

const node = process.execPath

/** The environment of this process without variables that would change Sheaf, or its Node. */
function cleanEnvironment(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(
    ([name]) => !/^(SHEAF_|OTEL_|npm_|JEST_|(DATABASE_URL|NATS_URL|NODE_ENV|INIT_CWD)$)/.test(name),
  )
  return Object.fromEntries(kept)
}

async function settings(
  options: SheafOptions,
  dataDir: string,
  closer: Closer,
): Promise<Record<string, string>> {
  const own = { SHEAF_PORT: '0', SHEAF_DATA: dataDir, ...options.env }
  if (options.ownEngines) return own
  const databaseUrl = options.databaseUrl ?? closer.use(await createTestDatabase()).url
  return { DATABASE_URL: databaseUrl, NATS_URL: testEngines().natsUrl, ...own }
}

interface SheafProcess extends AsyncDisposable {
  readonly ready: (dataDir: string) => Promise<RunFile>
  readonly output: () => string
}

function spawnSheaf(env: NodeJS.ProcessEnv, wrapper: readonly string[] = []): SheafProcess {
  const [command = node, ...args] = [...wrapper, node, programs.standalone]
  // Sheaf stops when the IPC channel closes, so it does not outlive a test run that is killed.
  const child = spawn(command, args, {
    env,
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  let printed = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => (printed += text))
  }
  const closed = once(child, 'close')
  return {
    output: () => printed,
    async ready(dataDir) {
      const found = await eventually(
        async () => {
          if (hasEnded(child)) return 'ended'
          const run = await findRunFile(dataDir)
          // Its announcement follows the run file.
          return run?.pids.standalone === child.pid && printed.includes('Sheaf is ready') && run
        },
        { timeoutMs: startLimitMs },
      ).catch((error: unknown) => {
        throw new Error(`Sheaf is not ready:\n${printed}`, { cause: error })
      })
      if (found === 'ended') throw new Error(`Sheaf did not start:\n${printed}`)
      return found
    },
    async [Symbol.asyncDispose]() {
      if (!hasEnded(child)) child.kill('SIGTERM')
      const force = setTimeout(() => child.kill('SIGKILL'), stopLimitMs)
      await closed
      clearTimeout(force)
    },
  }
}

function hasEnded(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null
}

/** Returns the owner's key, which a first start prints. */
function printedKey({ output }: SheafProcess): Promise<string> {
  return eventually(() => /\bshf_[\w-]+/.exec(output())?.[0] ?? false)
}

async function getRunFile(dataDir: string): Promise<RunFile> {
  const run = await findRunFile(dataDir)
  if (run === undefined) throw new Error(`no Sheaf runs with the data folder ${dataDir}`)
  return run
}

/** The gateway caches readiness for half a second; a result from before the kill says nothing. */
const keptAnswerMs = 600

function untilRestarted(wanted: {
  url: string
  previousPid: number
  pid: () => Promise<number | undefined>
}): Promise<number> {
  let seenAt: number | undefined
  return eventually(
    async () => {
      const pid = await wanted.pid()
      if (pid === undefined || pid === wanted.previousPid) return false
      seenAt ??= performance.now()
      const { status } = await fetch(`${wanted.url}/status?ready=1`)
      return status === 200 && performance.now() - seenAt > keptAnswerMs && pid
    },
    { timeoutMs: startLimitMs },
  )
}

async function findPids(dataDir: string): Promise<Partial<Record<string, number>>> {
  const { pids } = await getRunFile(dataDir)
  return { ...pids, postgres: findEngine(dataDir, 'postgres'), nats: findEngine(dataDir, 'nats') }
}

function signalProcess(name: ProcessName, pid: number | undefined, signal: NodeJS.Signals): number {
  if (pid === undefined) throw new Error(`${name} is not running`)
  process.kill(pid, signal)
  return pid
}
