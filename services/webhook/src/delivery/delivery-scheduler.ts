import { setMaxListeners } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { jitter } from '@sheaf/kit/backoff'
import type { Logger } from '@sheaf/kit/logger'
import type { Kysely } from 'kysely'
import { claimDue, type Lease } from '../db/leases'
import type { WebhookSchema } from '../db/schema'
import type { Poster } from '../targets/post'
import { DeliverySlots, type Lane } from './delivery-slots'
import { LEASE_MS, runDeliverySession } from './delivery-session'

/** Polling interval for due webhooks. */
const POLL_MS = 1_000
/** When slots are exhausted, released ones are reassigned together after this time. */
const GATHER_MS = 10
/** Grace period for attempts in progress at shutdown. */
const GRACE_MS = 1_000

const lanes: readonly Lane[] = ['working', 'failing']

/**
 * Delivers due webhooks, many concurrently, each in order and independently: one that fails or is slow
 * occupies its own slot only. Any number of schedulers share one database.
 */
export class DeliveryScheduler implements AsyncDisposable {
  private readonly slots = new DeliverySlots()
  private readonly sessions = new Set<Promise<void>>()
  private readonly closing = new AbortController()
  private readonly stop = new AbortController()
  private timer?: NodeJS.Timeout
  private gathering?: NodeJS.Timeout
  private running?: Promise<void>
  private again = false
  private failing = false

  constructor(
    private readonly db: Kysely<WebhookSchema>,
    private readonly poster: Pick<Poster, 'post'>,
    private readonly log: Logger,
  ) {
    // Every attempt in progress adds a listener.
    setMaxListeners(0, this.stop.signal)
  }

  /** Webhooks with a delivery session. */
  get busy(): number {
    return this.sessions.size
  }

  /** Claims due webhooks now, and periodically until disposed of. Never throws. */
  wake(): void {
    if (this.closing.signal.aborted) return
    this.again = true
    this.running ??= this.run().finally(() => {
      this.running = undefined
      if (this.again) this.wake()
      else if (!this.closing.signal.aborted)
        this.timer = setTimeout(() => this.wake(), jitter(POLL_MS)).unref()
    })
  }

  /** Lets attempts in progress complete, cancels them after the grace period, and releases all leases. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.closing.abort()
    clearTimeout(this.timer)
    clearTimeout(this.gathering)
    await this.running
    const ended = new AbortController()
    const grace = pause(GRACE_MS, undefined, { signal: ended.signal }).catch(() => {})
    await Promise.race([Promise.all(this.sessions), grace])
    ended.abort()
    this.stop.abort()
    await Promise.all(this.sessions)
  }

  private async run(): Promise<void> {
    clearTimeout(this.timer)
    while (this.again && !this.closing.signal.aborted) {
      this.again = false
      try {
        for (const lane of lanes) await this.startDue(lane)
        this.failing = false
      } catch (error) {
        if (!this.failing) this.log.warn({ err: error }, 'failed to acquire deliveries, retrying')
        this.failing = true
      }
    }
  }

  private async startDue(lane: Lane): Promise<void> {
    const failing = lane === 'failing'
    // A target with more due webhooks than one scan considers yields to others in the next scan.
    const served = new Map<string, number>()
    for (let isMore = true; isMore;) {
      const { limit, perTarget, left } = this.slots.available(lane)
      if (limit <= 0) return
      const room = { limit, perTarget, left: new Map([...left, ...served]) }
      const claimed = await claimDue(this.db, { ...room, failing, leaseMs: LEASE_MS })
      for (const lease of claimed.leases) {
        served.set(lease.target, 0)
        const session = this.send(lane, lease).finally(() => this.sessions.delete(session))
        this.sessions.add(session)
      }
      isMore = claimed.isMore
    }
  }

  private async send(lane: Lane, lease: Lease): Promise<void> {
    this.slots.acquire(lane, lease.target)
    const { db, poster } = this
    try {
      const ending = { closing: this.closing.signal, stop: this.stop.signal }
      await runDeliverySession({ db, poster, ...ending }, lease)
    } catch (error) {
      // Its lease ends by itself, and it is due again then.
      this.log.warn(
        { err: error, webhookId: lease.webhookId },
        'a delivery session of a webhook failed',
      )
    } finally {
      const mayBeAwaited = this.slots.isExhausted(lane)
      this.slots.release(lane, lease.target)
      if (mayBeAwaited) this.wakeSoon()
    }
  }

  private wakeSoon(): void {
    if (this.gathering || this.closing.signal.aborted) return
    this.gathering = setTimeout(() => {
      this.gathering = undefined
      this.wake()
    }, GATHER_MS).unref()
  }
}
