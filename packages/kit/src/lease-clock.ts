/** An instant on both clocks: the monotonic one stops while the machine sleeps, and wall time can be set. */
export interface Instant {
  readonly steady: number
  readonly wall: number
}

/** The present instant. */
export const instant = (): Instant => ({ steady: performance.now(), wall: Date.now() })

const NEVER: Instant = { steady: -Infinity, wall: -Infinity }

/**
 * The holder's view of a lease: it ends without further messages, counted from before its renewal was sent, so that a
 * frozen process or a slow answer loses it no later than whoever granted it counts on.
 */
export class LeaseClock {
  private begun = NEVER
  private ends = NEVER

  /** True while the lease lasts, on both clocks. */
  isHeld(): boolean {
    const wall = Date.now()
    return performance.now() < this.ends.steady && wall < this.ends.wall && wall >= this.begun.wall
  }

  /** Prolongs the lease by a renewal that was sent at this instant. */
  extend(sentAt: Instant, leaseMs: number): void {
    this.begun = sentAt
    this.ends = { steady: sentAt.steady + leaseMs, wall: sentAt.wall + leaseMs }
  }
}
