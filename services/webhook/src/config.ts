import { EnvReader, type Env } from '@sheaf/kit/config'
import { readTlsFiles, type TlsFiles } from '@sheaf/kit/tls'
import { isHostEntry } from './targets/url-rule'

const MIB = 1024 * 1024

/** Settings of the webhook service. */
export interface WebhookConfig {
  /** `host:port` to listen on; port 0 selects a free one. */
  readonly listen: string
  /** `postgres://user:password@host:port/database`. */
  readonly databaseUrl: string
  /** `host:port` of directory, which publishes the keys that verify callers. */
  readonly directoryAddress: string
  /** The secret that the processes of one Sheaf share. */
  readonly serviceKey: string
  /** Certificates for calls between the processes; plain text without. */
  readonly tls?: TlsFiles
  /** `host:port` of an additional plain-text health endpoint. */
  readonly healthListen?: string
  /** `nats://user:password@host:port`. */
  readonly natsUrl: string
  /** Hosts that may receive deliveries although their addresses are private; `*` for all. */
  readonly allowedHosts: readonly string[]
  /** Maximum number of queued events of one webhook. */
  readonly queueEvents: number
  /** Maximum size of their bodies, in bytes. */
  readonly queueBytes: number
}

/** Reads the settings. Throws ConfigError naming every fault. */
export function readConfig(env: Env): WebhookConfig {
  const read = new EnvReader(env)
  return read.done({
    listen: read.str('SHEAF_WEBHOOK_LISTEN', '127.0.0.1:8487'),
    databaseUrl: read.secret('DATABASE_URL'),
    directoryAddress: read.str('SHEAF_DIRECTORY_ADDRESS', '127.0.0.1:8485'),
    serviceKey: read.secret('SHEAF_SERVICE_KEY'),
    tls: readTlsFiles(read),
    healthListen: read.optional('SHEAF_HEALTH_LISTEN'),
    natsUrl: read.secret('NATS_URL'),
    allowedHosts: read
      .list('SHEAF_WEBHOOK_ALLOWED_HOSTS', [], isHostEntry)
      .map((host) => host.toLowerCase()),
    queueEvents: read.int('SHEAF_WEBHOOK_QUEUE', 100_000, { min: 1, max: 10_000_000 }),
    queueBytes: read.int('SHEAF_WEBHOOK_QUEUE_MB', 256, { min: 1, max: 65_536 }) * MIB,
  })
}
