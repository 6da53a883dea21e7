import { AppError } from '@sheaf/kit/errors'
import { Quota } from '@sheaf/kit/quota'

/** Slots for streams that stay open; at most half of them for one user, and for one document. */
export class StreamSlots {
  private readonly byUser: Quota
  private readonly byDocument: Quota

  /** @param most concurrent streams */
  constructor(most: number) {
    this.byUser = new Quota(most)
    this.byDocument = new Quota(most)
  }

  /** Slots in use. */
  get used(): number {
    return this.byUser.used
  }

  /**
   * Acquires a slot, and returns a function that releases it. Throws AppError `too_many`, or `unavailable`
   * when all are in use.
   */
  acquire(user: string, docId: string): () => void {
    const full = this.byUser.check(user, 1) ?? this.byDocument.check(docId, 1)
    const hint = { retryAfterMs: '10000' }
    if (full === 'share')
      throw new AppError(
        'too_many',
        'TOO_MANY_STREAMS',
        'too many change streams, retry later',
        hint,
      )
    if (full)
      throw new AppError(
        'unavailable',
        'GATEWAY_BUSY',
        'too many change streams, retry later',
        hint,
      )
    this.byUser.take(user, 1)
    this.byDocument.take(docId, 1)
    return () => {
      this.byUser.give(user, 1)
      this.byDocument.give(docId, 1)
    }
  }
}
