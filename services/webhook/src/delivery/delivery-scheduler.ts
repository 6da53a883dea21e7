import { setMaxListeners } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { jitter } from '@sheaf/kit/backoff'
import type { Logger } from '@sheaf/kit/logger'
import type { Kysely } from 'kysely'
import {
  claimDue,
  findDue,
  SCAN,
  type DueWebhook,
  type Lane,
  type Lease,
  type Parties,
} from '../db/leases'
import type { WebhookSchema } from '../db/schema'
import type { Poster } from '../targets/post'
import { DeliverySlots } from './delivery-slots'
import { LEASE_MS, runDeliverySession, type Pace } from './delivery-session'

/** Polling interval for due webhooks. */
const POLL_MS = 1_000
/** When slots are exhausted, released ones are reassigned together after this time. */
const GATHER_MS = 10
/** Default grace period for attempts in progress at shutdown. */
const GRACE_MS = 1_000

const lanes: readonly Lane[] = ['working', 'slow', 'failing']

/** An attempt that takes longer makes its webhook slow; a session ends after `turnMs`. */
const pace: Pace = { slowMs: 2_000, turnMs: 15_000 }

/** Replacements for limits, for tests. */
export interface SchedulerLimits {
  /** Slots by lane. */
  readonly slots?: Readonly<Record<Lane, number>>
  readonly pace?: Pace
  /** Milliseconds for attempts in progress at shutdown. */
  readonly graceMs?: number
}

/**
 * Delivers due webhooks, many concurrently, each in order and independently: one that fails or is slow
 * occupies its own slot only, and no document, user or network has more than its share of the slots. Any number
 * of schedulers share one database.
 */
export class DeliveryScheduler implements AsyncDisposable {
  private readonly slots: DeliverySlots
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
    private readonly limits: SchedulerLimits = {},
  ) {
    this.slots = new DeliverySlots(limits.slots)
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
    const { graceMs = GRACE_MS } = this.limits
    const grace = pause(graceMs, undefined, { signal: ended.signal }).catch(() => {})
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
    const selection = this.slots.begin(lane)
    for (let isMore = true; isMore && selection.mayContinue;) {
      const due = await findDue(this.db, lane, selection)
      const chosen = selection.take(due)
      if (chosen.length > 0) await this.start(lane, chosen)
      isMore = due.length === SCAN
    }
  }

  /** Claims webhooks whose slots are taken, and starts sessions; slots of those that others hold are released. */
  private async start(lane: Lane, chosen: readonly DueWebhook[]): Promise<void> {
    const ids = chosen.map(({ id }) => id)
    const leases = new Map<string, Lease>()
    try {
      for (const lease of await claimDue(this.db, ids, LEASE_MS)) leases.set(lease.webhookId, lease)
    } finally {
      for (const webhook of chosen) {
        const lease = leases.get(webhook.id)
        if (lease) this.startSession(lane, webhook, lease)
        else this.slots.release(lane, webhook)
      }
    }
  }

  private startSession(lane: Lane, parties: Parties, lease: Lease): void {
    const session = this.send(lane, parties, lease).finally(() => this.sessions.delete(session))
    this.sessions.add(session)
  }

  private async send(lane: Lane, parties: Parties, lease: Lease): Promise<void> {
    const { db, poster } = this
    let isDue = false
    try {
      const ending = { closing: this.closing.signal, stop: this.stop.signal }
      const tools = { db, poster, ...ending, lane, pace: this.limits.pace ?? pace }
      isDue = await runDeliverySession(tools, lease)
    } catch (error) {
      // Its lease ends by itself, and it is due again then.
      this.log.warn(
        { err: error, webhookId: lease.webhookId },
        'a delivery session of a webhook failed',
      )
    } finally {
      const isAwaited = this.slots.release(lane, parties)
      if (isAwaited || isDue) this.wakeSoon()
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
