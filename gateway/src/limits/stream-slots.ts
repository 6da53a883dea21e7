import { AppError } from '@sheaf/kit/errors'
import { Quota } from '@sheaf/kit/quota'

/** Places of streams that stay open, half of them at most for one user, and for one document. */
export class StreamPlaces {
  private readonly byUser: Quota
  private readonly byDocument: Quota

  /** @param most streams at once */
  constructor(most: number) {
    this.byUser = new Quota(most)
    this.byDocument = new Quota(most)
  }

  /** Places that are taken. */
  get used(): number {
    return this.byUser.used
  }

  /** Takes a place, and returns what gives it back. Throws AppError `too_many`, or `unavailable` when all are taken. */
  enter(user: string, docId: string): () => void {
    const full = this.byUser.check(user, 1) ?? this.byDocument.check(docId, 1)
    const hint = { retryAfterMs: '10000' }
    if (full === 'share')
      throw new AppError('too_many', 'TOO_MANY_STREAMS', 'too many streams of changes', hint)
    if (full) throw new AppError('unavailable', 'GATEWAY_BUSY', 'too many streams of changes', hint)
    this.byUser.take(user, 1)
    this.byDocument.take(docId, 1)
    return () => {
      this.byUser.give(user, 1)
      this.byDocument.give(docId, 1)
    }
  }
}
