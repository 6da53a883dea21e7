import { AppError } from '@sheaf/kit/errors'
import { Quota } from '@sheaf/kit/quota'

/** What one process takes on at once. */
export interface AdmissionLimits {
  /** Writes that wait or run, in all documents. */
  readonly writes: number
  /** Bytes of the bodies of these writes. */
  readonly writeBytes: number
  /** Reads whose answer is not yet sent; and as many transfers of files. */
  readonly reads: number
  /** Beyond this lateness of the event loop, a document that has a call under way gets no further one. */
  readonly delayMs: number
}

/** What a call asks for. */
export interface Wanted {
  /** A transfer of files takes as long as its caller, and little of the process. */
  readonly kind: 'read' | 'write' | 'transfer'
  readonly docId: string
  /** Size of what the call brings along. */
  readonly bytes: number
}

/** Where a caller is sent away to, at least and at most. */
const RETRY_MS = { least: 100, most: 10_000 }
/** Weight of the newest call in the running mean. */
const NEWEST = 0.1

/**
 * Decides which calls are taken on, before anything is done for them: what is over the limits is refused at once, so
 * that what was taken is answered soon and memory stays bounded. No document gets more than half of the process, and
 * while the event loop is late each document gets one call at a time, so a busy one cannot shut out the others.
 */
export class Admission {
  private readonly writes: Quota
  private readonly bytes: Quota
  private readonly reads: Quota
  private readonly transfers: Quota
  /** Running mean of what calls take, in milliseconds. */
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

  /** Calls under way. */
  get running(): number {
    return this.writes.used + this.reads.used
  }

  /**
   * Takes a call on; the function returned must be called when it has ended. Throws `too_many` when the document has
   * its share, `unavailable` when the process has enough to do; both tell when to try again.
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

  /** Does not count as a call under way: a slow client must not keep others from its document. */
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
