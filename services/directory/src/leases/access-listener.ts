import type { Logger } from '@sheaf/kit/logger'
import { Client } from 'pg'
import { ACCESS_CHANNEL } from '../db/leases'

const RECONNECT_MS = 500
const CONNECT_TIMEOUT_MS = 5_000

/**
 * Listens for changes of access that other instances announce, and reconnects indefinitely. It only reduces
 * latency: every lease renewal carries the version too, so correctness does not depend on notifications.
 */
export class AccessListener implements AsyncDisposable {
  private client?: Client
  private timer?: NodeJS.Timeout
  private closed = false

  constructor(
    private readonly url: string,
    private readonly onVersion: (version: number) => void,
    private readonly log: Logger,
  ) {}

  /** Connects; failures are retried later. */
  async connect(): Promise<void> {
    const client = new Client({
      connectionString: this.url,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      keepAlive: true,
    })
    this.client = client
    client.on('notification', ({ payload }) => this.onVersion(Number(payload)))
    client.on('error', (error) => this.lost(client, error))
    client.on('end', () => this.lost(client))
    try {
      await client.connect()
      await client.query(`listen ${ACCESS_CHANNEL}`)
    } catch (error) {
      this.lost(client, error as Error)
    }
  }

  private lost(client: Client, error?: Error): void {
    if (this.closed || this.client !== client) return
    this.client = undefined
    this.log.warn({ reason: error?.message }, 'lost the connection for access change notifications')
    void client.end().catch(() => {})
    this.timer = setTimeout(() => void this.connect(), RECONNECT_MS)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.closed = true
    clearTimeout(this.timer)
    await this.client?.end().catch(() => {})
  }
}
