import type { AppError } from '@sheaf/kit/errors'
import { FairShare, toBusyError, type Full, type Holder } from '@sheaf/kit/fair-share'

/** Limits on the concurrent work of one process. */
export interface AdmissionLimits {
  /** Pending writes in all documents, queued or running. */
  readonly writes: number
  /** Total size of the bodies of pending writes. */
  readonly writeBytes: number
  /** Reads whose response is not fully sent; the same limit applies separately to file transfers. */
  readonly reads: number
  /** Event loop delay above which a document with a call in progress gets no further one. */
  readonly delayMs: number
}

/** Resources that a call needs. */
export interface Wanted {
  /** A transfer lasts as long as its client takes and costs the process little. */
  readonly kind: 'read' | 'write' | 'transfer'
  readonly userId: number
  readonly docId: string
  /** Size of the request body. */
  readonly bytes: number
}

/** Bounds of the retry delay returned to rejected callers. */
const RETRY_MS = { least: 100, most: 10_000 }
/** Weight of the latest call in the moving average. */
const NEWEST = 0.1

/**
 * Decides which calls are admitted, before any work is done for them. Calls over the limits are rejected at
 * once, which keeps latency low and memory bounded. Each user and each document gets its fair share of the
 * capacity, and while the event loop is delayed, each document is limited to one call at a time, so that a busy
 * one cannot starve others.
 */
export class Admission {
  private readonly writes: FairShare
  private readonly bytes: FairShare
  private readonly reads: FairShare
  private readonly transfers: FairShare
  /** Moving average of the duration of calls, in milliseconds. */
  private usualMs = RETRY_MS.least

  constructor(
    private readonly limits: AdmissionLimits,
    private readonly delay: { readonly meanMs: number },
  ) {
    this.writes = new FairShare(limits.writes)
    this.bytes = new FairShare(limits.writeBytes)
    this.reads = new FairShare(limits.reads)
    this.transfers = new FairShare(limits.reads)
  }

  /** Number of calls in progress. */
  get running(): number {
    return this.writes.used + this.reads.used
  }

  /**
   * Admits a call; the returned function must be called when the call ends. Throws `too_many` if the user or the
   * document has used its share, `unavailable` if the process is at capacity; both carry a retry delay.
   */
  enter({ kind, userId, docId, bytes }: Wanted): () => void {
    const holder: Holder = { user: userId, document: docId }
    if (kind === 'transfer') return this.enterTransfer(holder)
    const places = kind === 'write' ? this.writes : this.reads
    this.requireRoom(places, holder, 1)
    this.requireRoom(this.bytes, holder, bytes)
    const inProgress = this.writes.heldBy('document', docId) + this.reads.heldBy('document', docId)
    if (inProgress > 0 && this.delay.meanMs > this.limits.delayMs) throw this.refusal('whole')
    places.take(holder, 1)
    this.bytes.take(holder, bytes)
    const startedAt = performance.now()
    return () => {
      places.give(holder, 1)
      this.bytes.give(holder, bytes)
      this.usualMs += (performance.now() - startedAt - this.usualMs) * NEWEST
    }
  }

  /** Not counted as a call in progress: a slow client must not block other callers of its document. */
  private enterTransfer(holder: Holder): () => void {
    this.requireRoom(this.transfers, holder, 1)
    this.transfers.take(holder, 1)
    return () => this.transfers.give(holder, 1)
  }

  private requireRoom(limit: FairShare, holder: Holder, amount: number): void {
    const full = limit.check(holder, amount)
    if (full) throw this.refusal(full)
  }

  private refusal(full: Full): AppError {
    const wait = Math.min(RETRY_MS.most, Math.max(RETRY_MS.least, this.usualMs, this.delay.meanMs))
    return toBusyError(full, { what: 'concurrent requests', retryAfterMs: String(Math.ceil(wait)) })
  }
}
