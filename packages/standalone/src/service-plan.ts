import { join } from 'node:path'
import { readConfig as readDirectoryConfig } from '@sheaf/directory/config'
import { readConfig as readDocumentDataConfig } from '@sheaf/document-data/config'
import { readConfig as readGatewayConfig } from '@sheaf/gateway/config'
import type { BackoffLimits } from '@sheaf/kit/backoff'
import { ConfigError, type Env } from '@sheaf/kit/config'
import { readConfig as readWebhookConfig } from '@sheaf/webhook/config'
import type { Wiring } from './wiring'

/** The services, in order of starting; they stop in reverse order. */
const serviceNames = ['directory', 'document-data', 'webhook', 'gateway'] as const

type ServiceName = (typeof serviceNames)[number]

/**
 * Delay before a document-data instance that ended is started again when there are others: longer than its lease, so that
 * they take over its documents.
 */
const RESTART_OF_SEVERAL = { firstMs: 5_000, longestMs: 5_000 }

/** How to start one process. */
export interface ServicePlan {
  /** Name of the service, or of its instance when it has several. */
  readonly name: string
  /** Path of the program. */
  readonly main: string
  /** Its complete environment. */
  readonly env: Readonly<Record<string, string>>
  /** Delays before it is started again, if they differ from the usual ones. */
  readonly restart?: BackoffLimits
}

/** One process to be planned. */
interface Instance {
  readonly service: ServiceName
  /** Position among the instances of its service. */
  readonly index: number
}

/** Variables that any program may need; none of them are settings of Sheaf. */
const environment =
  /^(PATH|HOME|USER|LOGNAME|TMPDIR|TZ|LANG|LC_\w+|NODE_\w+|SSL_CERT_\w+|UV_THREADPOOL_SIZE|GRPC_\w+|OTEL_\w+|SHEAF_LOG_LEVEL|SHEAF_METRICS_LISTEN)$/

/**
 * Plans all processes. Each receives only the wiring and the settings that it reads. Throws ConfigError
 * with all invalid settings, before any process starts.
 */
export function planServices(env: Env, wiring: Wiring): ServicePlan[] {
  const faults = new Set<string>()
  const isOneOfSeveral = ({ service }: Instance) =>
    service === 'document-data' && wiring.documentDataAddresses.length > 1
  const plans = listInstances(wiring).map((instance) => {
    const { service, index } = instance
    const offered: Env = { ...env, ...wiringOf(instance, env, wiring) }
    const asked = new Set<string>()
    try {
      readers[service](recordNames(offered, asked))
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error
      for (const fault of error.faults) faults.add(fault)
    }
    const plan = { main: programs[service](), env: pick(offered, asked) }
    if (!isOneOfSeveral(instance)) return { name: service, ...plan }
    return { name: instanceName(index), ...plan, restart: RESTART_OF_SEVERAL }
  })
  if (faults.size > 0) throw new ConfigError([...faults])
  return plans
}

function listInstances({ documentDataAddresses }: Wiring): Instance[] {
  return serviceNames.flatMap((service): Instance[] =>
    service === 'document-data'
      ? documentDataAddresses.map((_, index) => ({ service, index }))
      : [{ service, index: 0 }],
  )
}

function instanceName(index: number): string {
  return `document-data-${index}`
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

function wiringOf({ service: name, index }: Instance, env: Env, wiring: Wiring): Env {
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
    SHEAF_METRICS_LISTEN: metricsAddressOf({ service: name, index }, wiring),
  }
  if (name === 'directory') return { ...shared, SHEAF_DIRECTORY_LISTEN: wiring.directoryAddress }
  if (name === 'webhook') return { ...shared, SHEAF_WEBHOOK_LISTEN: wiring.webhookAddress }
  if (name === 'gateway') return shared
  const { dataDir, documentDataAddresses } = wiring
  const address = documentDataAddresses[index]
  return {
    ...shared,
    ...(documentDataAddresses.length > 1 && { SHEAF_INSTANCE_NAME: instanceName(index) }),
    // The first one has the documents of a Sheaf that had no others.
    SHEAF_DATA: index === 0 ? dataDir : join(dataDir, 'instances', instanceName(index)),
    SHEAF_STORE_FOLDER: env.SHEAF_STORE_FOLDER ?? join(dataDir, 'store'),
    SHEAF_DOCUMENT_DATA_LISTEN: address,
    SHEAF_DOCUMENT_DATA_ADDRESS: address,
  }
}

/** Each process has its own port, counted from the gateway's; further instances of document-data are last. */
function metricsAddressOf(
  { service, index }: Instance,
  { metricsListen }: Wiring,
): string | undefined {
  if (!metricsListen) return undefined
  const { host, port } = metricsListen
  const offset =
    index === 0
      ? (serviceNames.indexOf(service) + 1) % serviceNames.length
      : serviceNames.length - 1 + index
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
