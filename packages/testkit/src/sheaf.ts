import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { findRunFile, type RunFile } from '@sheaf/cli/run-file'
import { openWith, type Closer } from '@sheaf/kit/lifecycle'
import { findEngine, type EngineName } from './engine-process'
import { createTestDatabase, hasTestHost, testEngines, testHost } from './engines'
import { eventually } from './eventually'
import type { SheafUser } from './host-requests'
import { createSeenStatuses, type SeenStatuses } from './seen-statuses'
import { tempDir } from './temp-dir'

export type { SheafUser } from './host-requests'

/** How a Sheaf is started. */
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

/** One of several instances of document-data (`SHEAF_INSTANCES`), from 0. */
export type InstanceName = `document-data-${number}`

/** A service of a running Sheaf, as named in its run file. */
export type ServiceName = 'gateway' | 'directory' | 'document-data' | 'webhook' | InstanceName

/** A process of a running Sheaf; engines only with `ownEngines`. */
export type ProcessName = ServiceName | EngineName

/** A running Sheaf as its users and its operator see it. */
export interface UsableSheaf {
  readonly url: string
  readonly ownerKey: string
  readonly dataDir: string
  /** Makes a user if new, and in any case a new key. */
  createUser(email: string, name: string): Promise<SheafUser>
  /** Runs the operator's command; resolves to what it printed, throws when it fails. */
  operate(...args: string[]): Promise<string>
}

/** A whole Sheaf in processes of its own, as `make run` starts it; stopped by disposing of it. */
export interface RunningSheaf extends UsableSheaf, AsyncDisposable {
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
  /** Returns the responses logged since the last call, as `GET /api/orgs 200`, without repetitions. */
  takeStatuses(): string[]
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
    // A start by the host itself, or by the benchmark, has no host to notify.
    if (hasTestHost()) await testHost().describe({ url: run.url })
    const pids = async () => (await getRunFile(dataDir)).pids
    return {
      url: run.url,
      ownerKey,
      dataDir,
      pid: run.pids.standalone,
      output: process.output,
      takeStatuses: () => process.seen.take(),
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
      ...createOperation(dataDir, env),
      [Symbol.asyncDispose]: () => closer.close(),
    }
  })
}

const node = process.execPath

/**
 * The Sheaf that all suites of this jest worker use, one after another, as a user of this suite alone: its `ownerKey` is
 * theirs. Suites leave behind what they made in it, so that another one sees users and sites which are not its own.
 */
export async function sharedSheaf(
  env: Readonly<Record<string, string>>,
  owner: { email: string; name: string },
): Promise<UsableSheaf & { readonly owner: SheafUser }> {
  const worker = process.env.JEST_WORKER_ID ?? '1'
  const { url, dataDir } = await testHost().sheaf({ worker, env })
  const operation = createOperation(dataDir, { ...cleanEnvironment(), SHEAF_DATA: dataDir })
  const user = await operation.createUser(owner.email, owner.name)
  return { url, dataDir, ownerKey: user.key, owner: user, ...operation }
}

/** What an operator does with the Sheaf of a data folder. */
function createOperation(
  dataDir: string,
  env: NodeJS.ProcessEnv,
): Pick<UsableSheaf, 'createUser' | 'operate'> {
  return {
    createUser: (email, name) => testHost().user({ dataDir, email, name }),
    async operate(...args) {
      const { stdout } = await promisify(execFile)(node, [programs.cli, ...args], { env })
      return stdout
    },
  }
}

/** The environment of this process without what would make a Sheaf, or its Node, another one than a user gets. */
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
  // A machine that is busy with other tests is no overload. Benchmarks have no host.
  const patience: Record<string, string> = hasTestHost() ? { SHEAF_LOOP_DELAY_MS: '60000' } : {}
  const own = { SHEAF_PORT: '0', SHEAF_DATA: dataDir, ...patience, ...options.env }
  if (options.ownEngines) return own
  const databaseUrl = options.databaseUrl ?? closer.use(await createTestDatabase()).url
  return { DATABASE_URL: databaseUrl, NATS_URL: testEngines().natsUrl, ...own }
}

interface SheafProcess extends AsyncDisposable {
  readonly ready: (dataDir: string) => Promise<RunFile>
  readonly output: () => string
  readonly seen: SeenStatuses
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
  const seen = createSeenStatuses()
  child.stdout?.on('data', (text: string) => seen.add(text))
  const closed = once(child, 'close')
  return {
    output: () => printed,
    seen,
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
      const answer = await fetch(`${wanted.url}/status?ready=1`)
      const isWhole = answer.ok && !(await answer.text()).includes('does not respond')
      return isWhole && performance.now() - seenAt > keptAnswerMs && pid
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
