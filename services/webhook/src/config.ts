import { EnvReader, type Env } from '@sheaf/kit/config'

/** What the webhook service needs to know to start. */
export interface WebhookConfig {
  /** `host:port` to listen on; port 0 takes a free one. */
  readonly listen: string
  /** `postgres://user:password@host:port/database`. */
  readonly databaseUrl: string
  /** `host:port` of directory, which has the keys that verify callers. */
  readonly directoryAddress: string
}

/** Reads the settings. Throws ConfigError naming every fault. */
export function readConfig(env: Env): WebhookConfig {
  const read = new EnvReader(env)
  return read.done({
    listen: read.str('SHEAF_WEBHOOK_LISTEN', '127.0.0.1:8487'),
    databaseUrl: read.secret('DATABASE_URL'),
    directoryAddress: read.str('SHEAF_DIRECTORY_ADDRESS', '127.0.0.1:8485'),
  })
}
