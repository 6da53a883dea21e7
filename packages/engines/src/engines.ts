import { mkdir } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { lockDataDir } from './data-lock'
import type { DataLock } from './data-lock'
import type { EngineLog } from './engine-log'
import type { EngineProcess } from './engine-process'
import { readState, writeState } from './engine-state'
import type { EngineState } from './engine-state'
import { freePort, loopback } from './free-port'
import { prepareNats, probeNats } from './nats'
import { preparePostgres, probePostgres } from './postgres'
import type { EngineSetting, PreparedEngine } from './prepared-engine'
import { checkReachable } from './server-url'

export interface EngineOptions {
  /** Folder of all engine data; created with private permissions if it does not exist. */
  dataDir: string
  /** An existing PostgreSQL server; without it one is started. */
  databaseUrl?: string
  /** An existing NATS server; without it one is started. */
  natsUrl?: string
  /** Cache of downloaded programs; ~/.cache/sheaf by default. */
  cacheDir?: string
  /** The PATH to search for nats-server. */
  path?: string
  /** Lock of the data folder if the caller holds it; otherwise acquired here and released by stop. */
  lock?: DataLock
  log: EngineLog
}

/** A PostgreSQL and a NATS that serve clients, supervised until `stop`. */
export interface RunningEngines extends AsyncDisposable {
  readonly databaseUrl: string
  readonly natsUrl: string
  /** Pids of running processes; none for an external engine or one that is being restarted. */
  readonly pids: { postgres?: number; nats?: number }
  /** Stops the engines that were started here; idempotent. */
  stop(): Promise<void>
  /** Returns which engines currently serve clients. */
  ready(): Promise<{ postgres: boolean; nats: boolean }>
}

/** Another program may take a port between the check that it is free and its use. */
const startAttempts = 3

/**
 * Starts the engines that are not external and resolves when both serve clients. An engine that crashes is
 * restarted on the same port. If one fails to start, the other is stopped.
 */
export async function startEngines(options: EngineOptions): Promise<RunningEngines> {
  const lock = options.lock ?? (await lockDataDir(options.dataDir))
  const started: Started[] = []
  const stop = once(async () => {
    await Promise.all(started.flatMap(({ engine }) => (engine ? [engine.stop()] : [])))
    if (!options.lock) await lock.release()
  })
  try {
    const setting = await openSetting(options, lock.dataDir)
    // Sequential: a first start is bound by unpacking and initialising anyway.
    const postgres = await startPostgres(options, setting)
    started.push(postgres)
    const nats = await startNats(options, setting)
    started.push(nats)
    return {
      databaseUrl: postgres.url,
      natsUrl: nats.url,
      get pids() {
        return { postgres: postgres.engine?.pid, nats: nats.engine?.pid }
      },
      stop,
      ready: async () => {
        const [postgresReady, natsReady] = await Promise.all([postgres.ready(), nats.ready()])
        return { postgres: postgresReady, nats: natsReady }
      },
      [Symbol.asyncDispose]: stop,
    }
  } catch (error) {
    await stop()
    throw error
  }
}

interface Started {
  url: string
  /** Undefined for an external engine. */
  engine?: EngineProcess
  ready(): Promise<boolean>
}

async function startPostgres(options: EngineOptions, setting: EngineSetting): Promise<Started> {
  const { databaseUrl } = options
  if (databaseUrl) return external('PostgreSQL', databaseUrl)
  const prepared = await preparePostgres(setting)
  const { engine, port } = await startOnFreePort(prepared, setting, 'postgres')
  const url = prepared.url(port)
  return { url, engine, ready: () => succeeds(probePostgres(url)) }
}

async function startNats(options: EngineOptions, setting: EngineSetting): Promise<Started> {
  const { natsUrl } = options
  if (natsUrl) return external('NATS', natsUrl)
  const prepared = await prepareNats(setting)
  const { engine, port } = await startOnFreePort(prepared, setting, 'nats')
  const url = prepared.url(port)
  return { url, engine, ready: () => succeeds(probeNats(url)) }
}

async function external(server: 'PostgreSQL' | 'NATS', url: string): Promise<Started> {
  await checkReachable(server, url)
  return { url, ready: () => succeeds(checkReachable(server, url)) }
}

/** Reuses the port of the last start if it is free, so that clients with an old URL can reconnect. */
async function startOnFreePort(
  prepared: PreparedEngine,
  { state, save }: EngineSetting,
  name: keyof EngineState,
): Promise<{ engine: EngineProcess; port: number }> {
  const remembered = state[name]
  for (let attempt = 1; ; attempt++) {
    const port = await freePort(loopback, remembered?.port)
    try {
      const engine = await prepared.start(port)
      if (remembered) remembered.port = port
      await save()
      return { engine, port }
    } catch (error) {
      if (attempt === startAttempts) throw error
      // Also long enough for the children of a killed PostgreSQL to notice and exit.
      await sleep(500)
    }
  }
}

async function openSetting(options: EngineOptions, dataDir: string): Promise<EngineSetting> {
  await mkdir(join(dataDir, 'logs'), { recursive: true, mode: 0o700 })
  const state = await readState(dataDir)
  return {
    dataDir,
    cacheDir: options.cacheDir ?? join(homedir(), '.cache', 'sheaf'),
    path: options.path,
    state,
    save: () => writeState(dataDir, state),
    log: options.log,
  }
}

function succeeds(probe: Promise<void>): Promise<boolean> {
  return probe.then(
    () => true,
    () => false,
  )
}

function once(action: () => Promise<void>): () => Promise<void> {
  let result: Promise<void> | undefined
  return () => (result ??= action())
}
