import { AppError } from '@sheaf/kit/errors'
import { Quota } from '@sheaf/kit/quota'
import { StreamSlots } from './stream-slots'

/** Load limits of one gateway. */
export interface LoadLimits {
  /** Concurrent requests. */
  readonly requests: number
  /** Bytes of request bodies in memory. */
  readonly bodyBytes: number
  /** Live change streams; half of them for one user, and for one document. */
  readonly changeStreams: number
}

const RETRY_HINT = { retryAfterMs: '1000' }

/**
 * Admission control of the gateway. Excess load is rejected before anything is read or buffered for it. The
 * bodies of one user may occupy at most half of the memory budget, so that slow or many uploads of one user
 * leave room for others.
 */
export class Load {
  /** Requests admitted since the start. */
  begun = 0
  /** Table-sized responses that are being sent. */
  pacedResponses = 0
  /** Slots of live change streams. */
  readonly changeStreams: StreamSlots
  private requests = 0
  private readonly bodies: Quota

  constructor(private readonly limits: LoadLimits) {
    this.bodies = new Quota(limits.bodyBytes)
    this.changeStreams = new StreamSlots(limits.changeStreams)
  }

  /** Requests in progress. */
  get active(): number {
    return this.requests
  }

  /** Bytes of request bodies in memory. */
  get bodyBytes(): number {
    return this.bodies.used
  }

  /** Admits a request. Throws AppError `unavailable` at the limit. */
  begin(): void {
    if (this.requests >= this.limits.requests) throw busy()
    this.requests++
    this.begun++
  }

  /** Ends an admitted request. */
  end(): void {
    this.requests--
  }

  /**
   * Throws AppError `unavailable` when the budget has no room for `bytes` more of a body of which `before`
   * are held already.
   */
  requireRoom(user: string, bytes: number, before = 0): void {
    if (this.bodies.check(user, bytes, before)) throw busy()
  }

  /** Charges bytes to a user; `release` returns them. */
  keep(user: string, bytes: number): void {
    this.bodies.take(user, bytes)
  }

  /** Returns bytes that were charged. */
  release(user: string, bytes: number): void {
    this.bodies.give(user, bytes)
  }
}

function busy(): AppError {
  return new AppError('unavailable', 'GATEWAY_BUSY', 'server busy, retry later', RETRY_HINT)
}
