import { AppError } from '@sheaf/kit/errors'
import { Quota } from '@sheaf/kit/quota'

/** Long reads of all documents at once; each holds about a MiB here and two in the gateway while nobody reads it. */
const MAX_READS = 48
/** Those of one user. */
const MAX_READS_OF_USER = MAX_READS / 4

/** Slots for the long reads of an instance; one user gets at most a quarter of them. */
export class LongReadSlots {
  private readonly slots = new Quota(MAX_READS, MAX_READS_OF_USER)

  /** Long reads in progress. */
  get used(): number {
    return this.slots.used
  }

  /**
   * Acquires a slot for a user, and returns a function that releases it. Throws `too_many` when the user has too
   * many, `unavailable` when all are in use.
   */
  acquire(userId: number): () => void {
    const user = String(userId)
    const full = this.slots.check(user, 1)
    const hint = { retryAfterMs: '1000' }
    if (full === 'share')
      throw new AppError(
        'too_many',
        'TOO_MANY_READS',
        'too many concurrent long reads of one user, retry later',
        hint,
      )
    if (full)
      throw new AppError(
        'unavailable',
        'SERVICE_BUSY',
        'too many concurrent long reads, retry later',
        hint,
      )
    this.slots.take(user, 1)
    return () => this.slots.give(user, 1)
  }
}
