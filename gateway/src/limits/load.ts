import { AppError } from '@sheaf/kit/errors'
import { FairShare, toBusyError, type Full, type Holder } from '@sheaf/kit/fair-share'
import { StreamSlots } from './stream-slots'

/** Load limits of one gateway. */
export interface LoadLimits {
  /** Concurrent requests. */
  readonly requests: number
  /** Bytes of request bodies in memory. */
  readonly bodyBytes: number
  /** Live change streams. */
  readonly changeStreams: number
}

/** Bytes of whole responses that clients have not read: such a response stays in memory until it has been read. */
const UNREAD_BYTES = 96 * 1024 * 1024

/** So much of the budgets may belong to requests that wait for a home of their document; the rest is for the others. */
const HELD_DIVISOR = 4

/**
 * Admission control of the gateway. Excess load is rejected before anything is read or buffered for it. Requests
 * and bodies are charged to the user who sends them, or to the network while the user is not known, so that nobody
 * can occupy more than a fair share.
 */
export class Load {
  /** Requests admitted since the start. */
  begun = 0
  /** Table-sized responses that are being sent. */
  pacedResponses = 0
  /** Responses that are being compressed. */
  compressedResponses = 0
  /** Slots of live change streams. */
  readonly changeStreams: StreamSlots
  private readonly requests: FairShare
  private readonly bodies: FairShare
  private readonly unread = new FairShare(UNREAD_BYTES)
  private readonly held: FairShare
  private readonly heldBytes: FairShare

  constructor(limits: LoadLimits) {
    this.requests = new FairShare(limits.requests)
    this.bodies = new FairShare(limits.bodyBytes)
    this.held = new FairShare(Math.ceil(limits.requests / HELD_DIVISOR))
    this.heldBytes = new FairShare(Math.ceil(limits.bodyBytes / HELD_DIVISOR))
    this.changeStreams = new StreamSlots(limits.changeStreams)
  }

  /** Requests in progress. */
  get active(): number {
    return this.requests.used
  }

  /** Bytes of request bodies in memory. */
  get bodyBytes(): number {
    return this.bodies.used
  }

  /** Admits a request. Throws AppError `too_many` beyond the share of its holder, `unavailable` at the limit. */
  begin(holder: Holder): void {
    requireRoom(this.requests.check(holder, 1))
    this.requests.take(holder, 1)
    this.begun++
  }

  /** Charges an admitted request to the user who turned out to send it. Throws AppError `too_many`. */
  move(from: Holder, to: Holder): void {
    this.requests.give(from, 1)
    const full = this.requests.check(to, 1)
    this.requests.take(full ? from : to, 1)
    requireRoom(full)
  }

  /** Ends an admitted request. */
  end(holder: Holder): void {
    this.requests.give(holder, 1)
  }

  /**
   * Throws AppError when the budget has no room for `bytes` more of a body of which `before` are held already:
   * `too_many` beyond the share of its holder, otherwise `unavailable`.
   */
  requireRoom(holder: Holder, bytes: number, before = 0): void {
    requireRoom(this.bodies.check(holder, bytes, before))
  }

  /** Charges bytes to a holder; `release` returns them. */
  keep(holder: Holder, bytes: number): void {
    this.bodies.take(holder, bytes)
  }

  /** Returns bytes that were charged. */
  release(holder: Holder, bytes: number): void {
    this.bodies.give(holder, bytes)
  }

  /** Requests that wait for a home of their document. */
  get waiting(): number {
    return this.held.used
  }

  /**
   * Lets a request with so many bytes of a body wait for a home of its document; returns a function that ends that, or
   * undefined when too many wait already, or too many bytes.
   */
  hold(holder: Holder, bytes: number): (() => void) | undefined {
    const { held, heldBytes } = this
    if (held.check(holder, 1) || (bytes > 0 && heldBytes.check(holder, bytes))) return undefined
    held.take(holder, 1)
    heldBytes.take(holder, bytes)
    return () => {
      held.give(holder, 1)
      heldBytes.give(holder, bytes)
    }
  }

  /** Throws AppError, as `requireRoom` does, when a holder must read its responses before it gets one of `bytes`. */
  requireReader(holder: Holder, bytes: number): void {
    requireRoom(this.unread.check(holder, bytes), UNREAD)
  }

  /** Charges bytes of a response that its client has not read; returns a function that releases them. */
  keepUnread(holder: Holder, bytes: number): () => void {
    this.unread.take(holder, bytes)
    return () => this.unread.give(holder, bytes)
  }
}

const REQUESTS = { what: 'concurrent requests', retryAfterMs: '1000' }
const UNREAD = { what: 'unread responses', retryAfterMs: '1000' }

function requireRoom(full: Full | undefined, resource = REQUESTS): void {
  if (!full) return
  if (full !== 'whole') throw toBusyError(full, resource)
  const { retryAfterMs } = resource
  throw new AppError('unavailable', 'GATEWAY_BUSY', 'server busy, retry later', { retryAfterMs })
}
