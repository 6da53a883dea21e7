import { AppError } from '@sheaf/kit/errors'
import { Quota } from '@sheaf/kit/quota'

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
 * once, which keeps latency low and memory bounded. No document gets more than half of the capacity, and
 * while the event loop is delayed, each document is limited to one call at a time, so that a busy document
 * cannot starve others.
 */
export class Admission {
  private readonly writes: Quota
  private readonly bytes: Quota
  private readonly reads: Quota
  private readonly transfers: Quota
  /** Moving average of the duration of calls, in milliseconds. */
  private usualMs = RETRY_MS.least

  constructor(
    private readonly limits: AdmissionLimits,
    private readonly delay: { readonly meanMs: number },
  ) {
    this.writes = new Quota(limits.writes)
    this.bytes = new Quota(limits.writeBytes)
    this.reads = new Quota(limits.reads)
    this.transfers = new Quota(limits.reads)
  }

  /** Number of calls in progress. */
  get running(): number {
    return this.writes.used + this.reads.used
  }

  /**
   * Admits a call; the returned function must be called when the call ends. Throws `too_many` if the document
   * has used its share, `unavailable` if the process is at capacity; both carry a retry delay.
   */
  enter({ kind, docId, bytes }: Wanted): () => void {
    if (kind === 'transfer') return this.enterTransfer(docId)
    const places = kind === 'write' ? this.writes : this.reads
    this.requireRoom(places, docId, 1)
    this.requireRoom(this.bytes, docId, bytes)
    const isBusy = this.writes.heldBy(docId) + this.reads.heldBy(docId) > 0
    if (isBusy && this.delay.meanMs > this.limits.delayMs) throw this.refusal('whole')
    places.take(docId, 1)
    this.bytes.take(docId, bytes)
    const startedAt = performance.now()
    return () => {
      places.give(docId, 1)
      this.bytes.give(docId, bytes)
      this.usualMs += (performance.now() - startedAt - this.usualMs) * NEWEST
    }
  }

  /** Not counted as a call in progress: a slow client must not block other callers of its document. */
  private enterTransfer(docId: string): () => void {
    this.requireRoom(this.transfers, docId, 1)
    this.transfers.take(docId, 1)
    return () => this.transfers.give(docId, 1)
  }

  private requireRoom(limit: Quota, docId: string, amount: number): void {
    const full = limit.check(docId, amount)
    if (full) throw this.refusal(full)
  }

  private refusal(full: 'whole' | 'share'): AppError {
    const wait = Math.min(RETRY_MS.most, Math.max(RETRY_MS.least, this.usualMs, this.delay.meanMs))
    const hint = { retryAfterMs: String(Math.ceil(wait)) }
    if (full === 'whole')
      return new AppError('unavailable', 'SERVICE_BUSY', 'server busy, retry later', hint)
    const message = 'too many concurrent requests for this document, retry later'
    return new AppError('too_many', 'DOCUMENT_BUSY', message, hint)
  }
}
