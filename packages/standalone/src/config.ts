import { resolve } from 'node:path'
import { EnvReader, type Env, type ListenAddress } from '@sheaf/kit/config'
import { readTelemetryConfig } from '@sheaf/kit/telemetry/telemetry-config'

const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const

/** What it takes to run a whole Sheaf on one machine. */
export interface StandaloneConfig {
  /** Where the REST API listens. */
  readonly host: string
  /** 0 takes any free port. */
  readonly port: number
  /** Folder of everything that is kept. */
  readonly dataDir: string
  /** Who gets a key on the first start. */
  readonly ownerEmail: string
  /** Address that people know this Sheaf by, without a slash at its end. */
  readonly publicUrl?: string
  /** A PostgreSQL that runs already; without it one is started. */
  readonly databaseUrl?: string
  /** A NATS that runs already; without it one is started. */
  readonly natsUrl?: string
  /** Where metrics of the gateway are served; those of the others on the next ports. */
  readonly metricsListen?: ListenAddress
  /** A request that took so many milliseconds is shown as a tree of spans; undefined to show none. */
  readonly slowRequestMs?: number
  /** How the operator's command is called so that it finds this Sheaf. */
  readonly command: string
  /** All settings, from which each service is given those that it reads. */
  readonly env: Env
}

/** Reads the settings. Throws ConfigError naming every fault. */
export function readConfig(env: Env, cwd: string): StandaloneConfig {
  const read = new EnvReader(env)
  const data = read.str('SHEAF_DATA', './data')
  const setting = resolve(cwd, data) === resolve(cwd, 'data') ? '' : `SHEAF_DATA=${data} `
  read.oneOf('SHEAF_LOG_LEVEL', logLevels, 'info')
  const slowMs = read.int('SHEAF_SLOW_REQUEST_MS', 500, { max: 3_600_000 })
  const isWatched = read.bool('SHEAF_TRACES', false)
  return read.done({
    host: read.str('SHEAF_HOST', '127.0.0.1'),
    port: read.int('SHEAF_PORT', 8484, { max: 65_535 }),
    dataDir: resolve(cwd, data),
    ownerEmail: read.str('SHEAF_OWNER_EMAIL', 'you@example.com'),
    publicUrl: read.optionalUrl('SHEAF_PUBLIC_URL', ['https', 'http'])?.replace(/\/+$/, ''),
    databaseUrl: read.optionalSecret('DATABASE_URL'),
    natsUrl: read.optionalSecret('NATS_URL'),
    metricsListen: read.optionalListen('SHEAF_METRICS_LISTEN'),
    // Traces that go to a collector are looked at there.
    slowRequestMs: isWatched && !readTelemetryConfig(env).traces ? slowMs : undefined,
    command: `${setting}npm run sheaf --`,
    env,
  })
}
