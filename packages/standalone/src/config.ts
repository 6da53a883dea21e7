import { resolve } from 'node:path'
import { EnvReader, type Env, type ListenAddress } from '@sheaf/kit/config'
import { readTelemetryConfig } from '@sheaf/kit/telemetry/telemetry-config'

/** Each takes some 150 MB at rest. */
const MAX_INSTANCES = 8

const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const

/** Configuration of a whole Sheaf on one machine. */
export interface StandaloneConfig {
  /** Address on which the REST API listens. */
  readonly host: string
  /** 0 for any free port. */
  readonly port: number
  /** Folder of all persistent data. */
  readonly dataDir: string
  /** Email address of the owner, who receives a key on the first start. */
  readonly ownerEmail: string
  /** Public URL of this Sheaf, without a trailing slash. */
  readonly publicUrl?: string
  /** Processes of document-data; several only with replication. */
  readonly instances: number
  /** An existing PostgreSQL; without it one is started. */
  readonly databaseUrl?: string
  /** An existing NATS; without it one is started. */
  readonly natsUrl?: string
  /** Address of the gateway's metrics; the other services use the following ports. */
  readonly metricsListen?: ListenAddress
  /** Requests that take at least this many milliseconds are shown as a tree of spans; undefined for none. */
  readonly slowRequestMs?: number
  /** Command line that invokes the operator's command for this Sheaf. */
  readonly command: string
  /** All settings; each service receives those that it reads. */
  readonly env: Env
}

/** Reads the settings. Throws ConfigError that lists every invalid one. */
export function readConfig(env: Env, cwd: string): StandaloneConfig {
  const read = new EnvReader(env)
  const data = read.str('SHEAF_DATA', './data')
  const setting = resolve(cwd, data) === resolve(cwd, 'data') ? '' : `SHEAF_DATA=${data} `
  read.oneOf('SHEAF_LOG_LEVEL', logLevels, 'info')
  const slowMs = read.int('SHEAF_SLOW_REQUEST_MS', 500, { max: 3_600_000 })
  const isWatched = read.bool('SHEAF_TRACES', false)
  const instances = read.int('SHEAF_INSTANCES', 1, { min: 1, max: MAX_INSTANCES })
  const isReplicated = read.bool('SHEAF_REPLICATED', false)
  if (instances > 1 && !isReplicated)
    read.reject('SHEAF_INSTANCES above 1 requires SHEAF_REPLICATED=true')
  if (instances > 1 && read.optional('SHEAF_INSTANCE_NAME') !== undefined)
    read.reject('SHEAF_INSTANCE_NAME must not be set with SHEAF_INSTANCES above 1')
  return read.done({
    host: read.str('SHEAF_HOST', '127.0.0.1'),
    port: read.int('SHEAF_PORT', 8484, { max: 65_535 }),
    dataDir: resolve(cwd, data),
    ownerEmail: read.str('SHEAF_OWNER_EMAIL', 'you@example.com'),
    publicUrl: read.optionalUrl('SHEAF_PUBLIC_URL', ['https', 'http'])?.replace(/\/+$/, ''),
    instances,
    databaseUrl: read.optionalSecret('DATABASE_URL'),
    natsUrl: read.optionalSecret('NATS_URL'),
    metricsListen: read.optionalListen('SHEAF_METRICS_LISTEN'),
    // With a collector, traces are inspected there.
    slowRequestMs: isWatched && !readTelemetryConfig(env).traces ? slowMs : undefined,
    command: read.str('SHEAF_COMMAND', `${setting}npm run sheaf --`),
    env,
  })
}
