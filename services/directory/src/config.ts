import { EnvReader, type Env } from '@sheaf/kit/config'
import type { StreamLimits } from '@sheaf/kit/nats-stream'
import { readTlsFiles, type TlsFiles } from '@sheaf/kit/tls'

const HOUR = 3_600
/** Size of the stream of events, as a fraction of that of changes: 128 MiB hold some 500,000 events. */
const EVENTS_SHARE = 1 / 8

/** Lifetimes of browser sessions. */
export interface SessionLimits {
  /** A session expires when unused for this long. */
  readonly idleSeconds: number
  /** A session expires after this long, even if it is used. */
  readonly lifeSeconds: number
}

/** Settings of the directory service. */
export interface DirectoryConfig {
  /** `host:port` to listen on; port 0 selects a free one. */
  readonly listen: string
  /** `postgres://user:password@host:port/database`. */
  readonly databaseUrl: string
  /** Maximum number of connections to PostgreSQL, besides one for notifications. */
  readonly databaseConnections: number
  /** Maximum number of calls that wait for a connection. */
  readonly databaseWaiting: number
  /** Retention of the access audit, in days. */
  readonly accessAuditDays: number
  /** The secret that the processes of one Sheaf share. */
  readonly serviceKey: string
  /** Certificates for calls between the processes; plain text without. */
  readonly tls?: TlsFiles
  /** `host:port` of an additional plain-text health endpoint. */
  readonly healthListen?: string
  /** `host:port` of the webhook service. */
  readonly webhookAddress: string
  /** Days after which the trash is emptied. */
  readonly trashDays: number
  /** Days for which documents that were deleted for good are listed, so that they can be made again. */
  readonly keptDays: number
  readonly sessions: SessionLimits
  /** `nats://user:password@host:port`, several separated by commas. */
  readonly natsUrl: string
  /** Retention of events of documents and access in NATS. */
  readonly events: StreamLimits
}

/** Reads the settings. Throws ConfigError naming every fault. */
export function readConfig(env: Env): DirectoryConfig {
  const read = new EnvReader(env)
  return read.done({
    listen: read.str('SHEAF_DIRECTORY_LISTEN', '127.0.0.1:8485'),
    databaseUrl: read.secret('DATABASE_URL'),
    databaseConnections: read.int('SHEAF_DIRECTORY_CONNECTIONS', 10, { min: 2, max: 1000 }),
    databaseWaiting: read.int('SHEAF_DIRECTORY_WAITING', 500, { min: 1 }),
    accessAuditDays: read.int('SHEAF_ACCESS_AUDIT_DAYS', 365, { min: 1, max: 36_500 }),
    serviceKey: read.secret('SHEAF_SERVICE_KEY'),
    tls: readTlsFiles(read),
    healthListen: read.optional('SHEAF_HEALTH_LISTEN'),
    webhookAddress: read.str('SHEAF_WEBHOOK_ADDRESS', '127.0.0.1:8487'),
    trashDays: read.int('SHEAF_TRASH_DAYS', 30, { min: 1, max: 36_500 }),
    keptDays: read.int('SHEAF_KEEP_DELETED_DAYS', 30, { min: 0, max: 36_500 }),
    natsUrl: read.secret('NATS_URL'),
    events: {
      days: read.int('SHEAF_CHANGES_DAYS', 7, { min: 1, max: 3650 }),
      megabytes: Math.ceil(read.int('SHEAF_CHANGES_MB', 1024, { min: 1 }) * EVENTS_SHARE),
      replicas: read.int('SHEAF_CHANGES_REPLICAS', 1, { min: 1, max: 5 }),
    },
    sessions: {
      idleSeconds: read.int('SHEAF_SESSION_IDLE_HOURS', 336, { min: 1, max: 8_784 }) * HOUR,
      lifeSeconds: read.int('SHEAF_SESSION_DAYS', 90, { min: 1, max: 366 }) * 24 * HOUR,
    },
  })
}
