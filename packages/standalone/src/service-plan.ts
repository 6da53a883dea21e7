import { join } from 'node:path'
import { readConfig as readDirectoryConfig } from '@sheaf/directory/config'
import { readConfig as readDocumentDataConfig } from '@sheaf/document-data/config'
import { readConfig as readGatewayConfig } from '@sheaf/gateway/config'
import { ConfigError, type Env } from '@sheaf/kit/config'
import { readConfig as readWebhookConfig } from '@sheaf/webhook/config'
import type { Wiring } from './wiring'

/** The four processes, in order of starting; they stop in reverse order. */
export const serviceNames = ['directory', 'document-data', 'webhook', 'gateway'] as const

/** One of the four processes. */
export type ServiceName = (typeof serviceNames)[number]

/** How to start one process. */
export interface ServicePlan {
  readonly name: ServiceName
  /** Path of the program. */
  readonly main: string
  /** Its complete environment. */
  readonly env: Readonly<Record<string, string>>
}

/** Variables that any program may need; none of them are settings of Sheaf. */
const environment =
  /^(PATH|HOME|USER|LOGNAME|TMPDIR|TZ|LANG|LC_\w+|NODE_\w+|SSL_CERT_\w+|UV_THREADPOOL_SIZE|GRPC_\w+|OTEL_\w+|SHEAF_LOG_LEVEL|SHEAF_METRICS_LISTEN)$/

/**
 * Plans the four processes. Each receives only the wiring and the settings that it reads. Throws ConfigError
 * with all invalid settings, before any process starts.
 */
export function planServices(env: Env, wiring: Wiring): ServicePlan[] {
  const faults = new Set<string>()
  const plans = serviceNames.map((name) => {
    const offered: Env = { ...env, ...wiringOf(name, env, wiring) }
    const asked = new Set<string>()
    try {
      readers[name](recordNames(offered, asked))
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error
      for (const fault of error.faults) faults.add(fault)
    }
    return { name, main: programs[name](), env: pick(offered, asked) }
  })
  if (faults.size > 0) throw new ConfigError([...faults])
  return plans
}

const readers: Record<ServiceName, (env: Env) => unknown> = {
  directory: readDirectoryConfig,
  'document-data': readDocumentDataConfig,
  webhook: readWebhookConfig,
  gateway: readGatewayConfig,
}

const programs: Record<ServiceName, () => string> = {
  directory: () => require.resolve('@sheaf/directory/main'),
  'document-data': () => require.resolve('@sheaf/document-data/main'),
  webhook: () => require.resolve('@sheaf/webhook/main'),
  gateway: () => require.resolve('@sheaf/gateway/main'),
}

function wiringOf(name: ServiceName, env: Env, wiring: Wiring): Env {
  const shared = {
    SHEAF_SERVICE_KEY: undefined,
    SHEAF_SERVICE_KEY_FILE: wiring.serviceKeyFile,
    SHEAF_DIRECTORY_ADDRESS: wiring.directoryAddress,
    SHEAF_WEBHOOK_ADDRESS: wiring.webhookAddress,
    DATABASE_URL: wiring.databaseUrl,
    DATABASE_URL_FILE: undefined,
    NATS_URL: wiring.natsUrl,
    NATS_URL_FILE: undefined,
    SHEAF_DATA: wiring.dataDir,
    SHEAF_HOST: wiring.host,
    SHEAF_PORT: String(wiring.port),
    // All traffic is local, and no certificate covers these addresses.
    SHEAF_TLS_CERT: undefined,
    SHEAF_TLS_KEY: undefined,
    SHEAF_TLS_CA: undefined,
    SHEAF_HEALTH_LISTEN: undefined,
    // There is no other gateway for clients to move to.
    SHEAF_LEAVE_SECONDS: undefined,
    SHEAF_METRICS_LISTEN: metricsAddressOf(name, wiring),
  }
  if (name === 'directory') return { ...shared, SHEAF_DIRECTORY_LISTEN: wiring.directoryAddress }
  if (name === 'webhook') return { ...shared, SHEAF_WEBHOOK_LISTEN: wiring.webhookAddress }
  if (name === 'gateway') return shared
  return {
    ...shared,
    SHEAF_STORE_FOLDER: env.SHEAF_STORE_FOLDER ?? join(wiring.dataDir, 'store'),
    SHEAF_DOCUMENT_DATA_LISTEN: wiring.documentDataAddress,
    SHEAF_DOCUMENT_DATA_ADDRESS: wiring.documentDataAddress,
  }
}

/** Each process has its own port, counted from the gateway's. */
function metricsAddressOf(name: ServiceName, { metricsListen }: Wiring): string | undefined {
  if (!metricsListen) return undefined
  const { host, port } = metricsListen
  const offset = (serviceNames.indexOf(name) + 1) % serviceNames.length
  return `${host.includes(':') ? `[${host}]` : host}:${port === 0 ? 0 : port + offset}`
}

/** Returns the same settings and records which names are read. */
function recordNames(env: Env, asked: Set<string>): Env {
  return new Proxy(env, {
    get(settings, name) {
      if (typeof name !== 'string') return undefined
      asked.add(name)
      return settings[name]
    },
  })
}

function pick(env: Env, asked: ReadonlySet<string>): Record<string, string> {
  const kept: Record<string, string> = {}
  for (const [name, value] of Object.entries(env)) {
    if (value !== undefined && (asked.has(name) || environment.test(name))) kept[name] = value
  }
  return kept
}
