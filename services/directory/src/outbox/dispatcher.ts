import { backoffDelay, jitter } from '@sheaf/kit/backoff'
import { toAppError } from '@sheaf/kit/errors'
import type { Logger } from '@sheaf/kit/logger'
import type { Kysely } from 'kysely'
import { claimEntries, deleteEntries, laneOf, postponeEntry, type OutboxEntry } from '../db/outbox'
import type { DirectorySchema } from '../db/schema'

/** Polling interval for entries of other instances. */
const POLL_MS = 1_000
/** Entries claimed at once. */
const BATCH = 40
/** Concurrent deliveries of a service that is notified of deletions. */
export const DELETIONS = 8
/** Time limit of one delivery. */
const DELIVERY_MS = 5_000
/** Duration of a claim: long enough to try the whole batch. */
const leaseMs = (concurrency: number) => Math.ceil(BATCH / concurrency) * DELIVERY_MS + 5_000
/** How long a lane that cannot be used is left alone, at first and at most. */
const PAUSE = { firstMs: 250, longestMs: 5_000 }
/** When an entry that was refused is tried again, at first and at most. */
const RETRY = { firstMs: 1_000, longestMs: 5 * 60_000 }

/** Receives the outbox entries that are addressed to it. */
export interface OutboxConsumer<Entry extends OutboxEntry> extends AsyncDisposable {
  /** Its name in the outbox. */
  readonly name: string
  /** Concurrent deliveries; 1 keeps the order of the entries. */
  readonly concurrency: number
  /**
   * Delivers an entry; returns when the service has confirmed it. The same entry may be delivered several
   * times. Throws AppError.
   */
  deliver(entry: Entry, deadline: number): Promise<void>
}

/**
 * Delivers the outbox entries of one consumer: each at least once, until it is confirmed, across failures and
 * restarts. All instances of directory deliver, each the entries that it has claimed. An unreachable
 * destination is paused and does not delay others.
 */
export class OutboxDispatcher<Entry extends OutboxEntry> implements AsyncDisposable {
  private readonly pauses = new Map<string, { until: number; failures: number }>()
  private readonly stop = new AbortController()
  private timer?: NodeJS.Timeout
  private running?: Promise<void>
  private again = false
  private failing = false

  constructor(
    private readonly db: Kysely<DirectorySchema>,
    private readonly consumer: OutboxConsumer<Entry>,
    private readonly log: Logger,
  ) {}

  /** Polls now, and periodically until disposed of. Never throws. */
  wake(): void {
    if (this.stop.signal.aborted) return
    this.again = true
    this.running ??= this.run().finally(() => {
      this.running = undefined
      if (this.again) this.wake()
      else if (!this.stop.signal.aborted)
        this.timer = setTimeout(() => this.wake(), jitter(POLL_MS)).unref()
    })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.stop.abort()
    clearTimeout(this.timer)
    await this.running
  }

  private async run(): Promise<void> {
    clearTimeout(this.timer)
    while (this.again && !this.stop.signal.aborted) {
      this.again = false
      try {
        if (await this.deliverSome()) this.again = true
        this.failing = false
      } catch (error) {
        const facts = { err: error, consumer: this.consumer.name }
        if (!this.failing) this.log.warn(facts, 'failed to read the outbox, retrying')
        this.failing = true
      }
    }
  }

  /** Returns true when there may be more. */
  private async deliverSome(): Promise<boolean> {
    const { name, concurrency } = this.consumer
    const entries = await claimEntries<Entry>(this.db, {
      consumer: name,
      pausedLanes: this.listPaused(),
      limit: BATCH,
      leaseMs: leaseMs(concurrency),
    })
    const waiting = [...entries]
    const confirmed: number[] = []
    const work = async () => {
      for (let entry = waiting.shift(); entry; entry = waiting.shift())
        if (await this.deliver(entry)) confirmed.push(entry.id)
    }
    await Promise.all(Array.from({ length: concurrency }, work))
    await deleteEntries(this.db, confirmed)
    return entries.length === BATCH
  }

  /** Returns the lanes that are paused now. */
  private listPaused(): string[] {
    const now = performance.now()
    return [...this.pauses].filter(([, { until }]) => until > now).map(([lane]) => lane)
  }

  /** Returns true when the consumer has confirmed. */
  private async deliver(entry: Entry): Promise<boolean> {
    const lane = laneOf(entry)
    const isPaused = (this.pauses.get(lane)?.until ?? 0) > performance.now()
    if (isPaused || this.stop.signal.aborted) {
      await postponeEntry(this.db, entry.id, 0)
      return false
    }
    try {
      await this.consumer.deliver(entry, Date.now() + DELIVERY_MS)
      this.pauses.delete(lane)
      return true
    } catch (error) {
      await this.postpone(entry, error)
      return false
    }
  }

  private async postpone(entry: Entry, error: unknown): Promise<void> {
    const code = toAppError(error)?.code
    const { consumer, kind, id, home, attempts } = entry
    if (code === 'unavailable' || code === 'timeout') {
      this.pause(laneOf(entry), error)
      await postponeEntry(this.db, entry.id, 0)
      return
    }
    const facts = { err: error, consumer, kind, id, home, attempts }
    this.log.warn(facts, 'a service rejected an outbox message, retrying')
    await postponeEntry(this.db, entry.id, jitter(backoffDelay(attempts + 1, RETRY)))
  }

  private pause(lane: string, error: unknown): void {
    const before = this.pauses.get(lane)
    if (!before) this.log.warn({ err: error, lane }, 'a service is unavailable, retrying')
    const now = performance.now()
    // Concurrent deliveries fail together, which counts once.
    if (before && before.until > now) return
    const failures = (before?.failures ?? 0) + 1
    this.pauses.set(lane, { until: now + backoffDelay(failures, PAUSE), failures })
  }
}
