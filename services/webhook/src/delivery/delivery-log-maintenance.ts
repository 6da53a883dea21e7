import { jitter } from '@sheaf/kit/backoff'
import type { Logger } from '@sheaf/kit/logger'
import { sql, type Kysely } from 'kysely'
import { listWebhookIds, trimLog } from '../db/delivery-log'
import type { WebhookSchema } from '../db/schema'

const ROUND_MS = 60_000
/** Webhooks whose logs are trimmed at once. */
const STEP = 100
/**
 * Name of the lock that one instance at a time holds for a step. Instances of earlier versions use the same
 * name.
 */
const LOCK = 'sheaf webhook upkeep'

/** Periodically trims the delivery logs of all webhooks, in small steps; one instance at a time. */
export class DeliveryLogMaintenance implements AsyncDisposable {
  private timer?: NodeJS.Timeout
  private running?: Promise<void>
  private closed = false

  constructor(
    private readonly db: Kysely<WebhookSchema>,
    private readonly log: Logger,
  ) {}

  /** Starts a round now, and further ones until disposed of. */
  start(): void {
    if (this.closed) return
    this.running = this.round().finally(() => {
      if (!this.closed) this.timer = setTimeout(() => this.start(), jitter(ROUND_MS)).unref()
    })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.closed = true
    clearTimeout(this.timer)
    await this.running
  }

  private async round(): Promise<void> {
    try {
      let last: string | undefined
      do last = await this.step(last)
      while (last !== undefined && !this.closed)
    } catch (error) {
      this.log.warn({ err: error }, 'failed to trim the delivery logs, retrying later')
    }
  }

  /**
   * Trims some logs; returns the last webhook's id, or undefined when there are no more, or another instance
   * holds the lock.
   */
  private step(after: string | undefined): Promise<string | undefined> {
    return this.db.transaction().execute(async (trx) => {
      const { rows } = await sql<{ held: boolean }>`
        select pg_try_advisory_xact_lock(hashtextextended(${LOCK}, 0)) as held`.execute(trx)
      if (!rows[0]?.held) return undefined
      const ids = await listWebhookIds(trx, after, STEP)
      if (ids.length > 0) await trimLog(trx, ids)
      return ids.length === STEP ? ids.at(-1) : undefined
    })
  }
}
