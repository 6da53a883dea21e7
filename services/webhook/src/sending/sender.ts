import { setMaxListeners } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { jitter } from '@sheaf/kit/backoff'
import type { Logger } from '@sheaf/kit/logger'
import type { Kysely } from 'kysely'
import { claimDue, type Lease } from '../db/leases'
import type { WebhookSchema } from '../db/schema'
import type { Poster } from '../targets/post'
import { Places, type Lane } from './slots'
import { LEASE_MS, takeTurn } from './delivery-session'

/** How often due webhooks are looked for without being told of any. */
const POLL_MS = 1_000
/** When places are short, those that become free are given away together. */
const GATHER_MS = 10
/** How long attempts under way may go on when the process stops. */
const GRACE_MS = 1_000

const lanes: readonly Lane[] = ['working', 'failing']

/**
 * Delivers what is due, many webhooks at once, each in its order and on its own: one that fails or is slow takes its
 * place and nobody else's. Any number of senders share one database.
 */
export class Sender implements AsyncDisposable {
  private readonly places = new Places()
  private readonly turns = new Set<Promise<void>>()
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
    // Every attempt under way listens.
    setMaxListeners(0, this.stop.signal)
  }

  /** Webhooks that are delivered for now. */
  get busy(): number {
    return this.turns.size
  }

  /** Looks for what is due now, and goes on looking until disposed of. Never throws. */
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

  /** Lets attempts under way end, or breaks them off after a moment, and gives all leases back. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.closing.abort()
    clearTimeout(this.timer)
    clearTimeout(this.gathering)
    await this.running
    const ended = new AbortController()
    const grace = pause(GRACE_MS, undefined, { signal: ended.signal }).catch(() => {})
    await Promise.race([Promise.all(this.turns), grace])
    ended.abort()
    this.stop.abort()
    await Promise.all(this.turns)
  }

  private async run(): Promise<void> {
    clearTimeout(this.timer)
    while (this.again && !this.closing.signal.aborted) {
      this.again = false
      try {
        for (const lane of lanes) await this.takeDue(lane)
        this.failing = false
      } catch (error) {
        if (!this.failing) this.log.warn({ err: error }, 'no deliveries can be taken; trying again')
        this.failing = true
      }
    }
  }

  private async takeDue(lane: Lane): Promise<void> {
    const failing = lane === 'failing'
    // A host for which more is due than is considered at once leaves the next look to others.
    const served = new Map<string, number>()
    for (let isMore = true; isMore;) {
      const { limit, perTarget, left } = this.places.free(lane)
      if (limit <= 0) return
      const room = { limit, perTarget, left: new Map([...left, ...served]) }
      const claimed = await claimDue(this.db, { ...room, failing, leaseMs: LEASE_MS })
      for (const lease of claimed.leases) {
        served.set(lease.target, 0)
        const turn = this.send(lane, lease).finally(() => this.turns.delete(turn))
        this.turns.add(turn)
      }
      isMore = claimed.isMore
    }
  }

  private async send(lane: Lane, lease: Lease): Promise<void> {
    this.places.take(lane, lease.target)
    const { db, poster } = this
    try {
      const ending = { closing: this.closing.signal, stop: this.stop.signal }
      await takeTurn({ db, poster, ...ending }, lease)
    } catch (error) {
      // Its lease ends by itself, and it is due again then.
      this.log.warn({ err: error, webhookId: lease.webhookId }, 'a turn of a webhook failed')
    } finally {
      const mayBeAwaited = this.places.isTight(lane)
      this.places.leave(lane, lease.target)
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
