import { AppError } from '@sheaf/kit/errors'
import { Quota } from '@sheaf/kit/quota'
import { StreamPlaces } from './stream-slots'

/** What one gateway takes on at once. */
export interface LoadLimits {
  /** Requests that are being answered. */
  readonly requests: number
  /** Bytes of request bodies in memory. */
  readonly bodyBytes: number
  /** Live streams of changes; half of them for one user, and for one document. */
  readonly changeStreams: number
}

const RETRY_HINT = { retryAfterMs: '1000' }

/**
 * What this gateway has in hand. What would be too much is refused before anything is read or kept for it. One user's
 * bodies may take half of the room at most, so that slow or many uploads of one leave something to all others.
 */
export class Load {
  /** Requests taken on since the start. */
  begun = 0
  /** Answers as long as a table that are being sent. */
  longAnswers = 0
  /** Places of live streams of changes. */
  readonly changeStreams: StreamPlaces
  private requests = 0
  private readonly bodies: Quota

  constructor(private readonly limits: LoadLimits) {
    this.bodies = new Quota(limits.bodyBytes)
    this.changeStreams = new StreamPlaces(limits.changeStreams)
  }

  /** Requests that are being answered. */
  get active(): number {
    return this.requests
  }

  /** Bytes of request bodies in memory. */
  get bodyBytes(): number {
    return this.bodies.used
  }

  /** Counts a request in. Throws AppError `unavailable` when there are too many. */
  begin(): void {
    if (this.requests >= this.limits.requests) throw busy()
    this.requests++
    this.begun++
  }

  /** Counts a request out. */
  end(): void {
    this.requests--
  }

  /** Throws AppError `unavailable` when there is no room for so much more of a body, of which `before` is kept already. */
  requireRoom(user: string, bytes: number, before = 0): void {
    if (this.bodies.check(user, bytes, before)) throw busy()
  }

  /** Notes bytes as kept; to be given back by `release`. */
  keep(user: string, bytes: number): void {
    this.bodies.take(user, bytes)
  }

  /** Notes bytes as gone. */
  release(user: string, bytes: number): void {
    this.bodies.give(user, bytes)
  }
}

function busy(): AppError {
  return new AppError('unavailable', 'GATEWAY_BUSY', 'too much to do, try again later', RETRY_HINT)
}
