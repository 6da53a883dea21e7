import { testEngines } from '@sheaf/testkit/engines'
import type { WebhookConfig } from '../src/config'

/** Settings of a webhook service that a test starts, with directory out of reach. */
export function webhookConfig(databaseUrl: string): WebhookConfig {
  return {
    listen: '127.0.0.1:0',
    databaseUrl,
    directoryAddress: '127.0.0.1:1',
    serviceKey: 'k'.repeat(32),
    natsUrl: testEngines().natsUrl,
    allowedHosts: [],
    queueEvents: 100_000,
    queueBytes: 256 * 1024 * 1024,
  }
}
