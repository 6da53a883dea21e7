import { EnvReader, type Env } from '@sheaf/kit/config'
import { readTlsFiles, type TlsFiles } from '@sheaf/kit/tls'
import { isHostEntry } from './targets/url-rule'

const MIB = 1024 * 1024

/** What the webhook service needs to know to start. */
export interface WebhookConfig {
  /** `host:port` to listen on; port 0 takes a free one. */
  readonly listen: string
  /** `postgres://user:password@host:port/database`. */
  readonly databaseUrl: string
  /** `host:port` of directory, which has the keys that verify callers. */
  readonly directoryAddress: string
  /** The secret that the processes of one Sheaf share. */
  readonly serviceKey: string
  /** Certificates for the calls between them; plain text without. */
  readonly tls?: TlsFiles
  /** `host:port` where health is served in plain text as well. */
  readonly healthListen?: string
  /** `nats://user:password@host:port`. */
  readonly natsUrl: string
  /** Hosts to which deliveries may go although their addresses are private; `*` for all. */
  readonly allowedHosts: readonly string[]
  /** Events that may wait for one webhook … */
  readonly queueEvents: number
  /** … and bytes of their bodies. */
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
