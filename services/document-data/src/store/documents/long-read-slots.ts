import { AppError } from '@sheaf/kit/errors'
import { FairShare, toBusyError } from '@sheaf/kit/fair-share'

/** Long reads of all documents at once; each holds about a MiB here and two in the gateway while nobody reads it. */
const MAX_READS = 48
const RESOURCE = { what: 'concurrent long reads', retryAfterMs: '1000' }

/** Slots for the long reads of an instance, shared by user. The reads of one document are bounded by its pool. */
export class LongReadSlots {
  private readonly slots = new FairShare(MAX_READS)

  /** Long reads in progress. */
  get used(): number {
    return this.slots.used
  }

  /**
   * Acquires a slot for a user, and returns a function that releases it. Throws `too_many` when the user has too
   * many, `unavailable` when all are in use.
   */
  acquire(userId: number): () => void {
    const holder = { user: userId }
    const full = this.slots.check(holder, 1)
    if (full) {
      const error = toBusyError(full, RESOURCE)
      if (full === 'whole') throw error
      throw new AppError('too_many', 'TOO_MANY_READS', error.message, error.metadata)
    }
    this.slots.take(holder, 1)
    return () => this.slots.give(holder, 1)
  }
}
