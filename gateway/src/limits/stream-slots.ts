import { AppError } from '@sheaf/kit/errors'
import { FairShare, toBusyError, type Holder } from '@sheaf/kit/fair-share'

const RESOURCE = { what: 'change streams', retryAfterMs: '10000' }

/** Slots for streams that stay open. */
export class StreamSlots {
  private readonly slots: FairShare

  /** @param most concurrent streams */
  constructor(most: number) {
    this.slots = new FairShare(most)
  }

  /** Slots in use. */
  get used(): number {
    return this.slots.used
  }

  /**
   * Acquires a slot, and returns a function that releases it. Throws AppError `too_many` beyond the share of the
   * holder or the document, `unavailable` when all are in use.
   */
  acquire(holder: Holder, docId: string): () => void {
    const both = { ...holder, document: docId }
    const full = this.slots.check(both, 1)
    if (full) {
      const { message, metadata } = toBusyError(full, RESOURCE)
      if (full === 'whole') throw new AppError('unavailable', 'GATEWAY_BUSY', message, metadata)
      throw new AppError('too_many', 'TOO_MANY_STREAMS', message, metadata)
    }
    this.slots.take(both, 1)
    return () => this.slots.give(both, 1)
  }
}
