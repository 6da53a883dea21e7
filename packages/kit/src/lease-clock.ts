/**
 * An instant on both clocks: the monotonic one, the same in all threads of the process, stops while the machine sleeps, and
 * wall time can be set.
 */
export interface Instant {
  readonly steady: number
  readonly wall: number
}

/** What `performance.now()` of this thread lacks of the monotonic clock, in milliseconds. */
const threadStart = Number(process.hrtime.bigint()) / 1e6 - performance.now()

const steadyNow = (): number => threadStart + performance.now()

/** The present instant. */
export const instant = (): Instant => ({ steady: steadyNow(), wall: Date.now() })

const BEGUN_WALL = 0
const ENDS_WALL = 1
const ENDS_STEADY = 2

/**
 * The holder's view of a lease: it ends without further messages, counted from before its renewal was sent, so that a
 * frozen process or a slow answer loses it no later than whoever granted it counts on. Clocks of several threads can share
 * the memory of one lease.
 */
export class LeaseClock {
  /** Each number is read and written as a whole; one that was just replaced was valid until then. */
  private readonly numbers: Float64Array

  constructor(readonly memory: SharedArrayBuffer = new SharedArrayBuffer(3 * 8)) {
    this.numbers = new Float64Array(memory)
  }

  /** True while the lease lasts, on both clocks. */
  isHeld(): boolean {
    const wall = Date.now()
    return (
      steadyNow() < this.read(ENDS_STEADY) &&
      wall < this.read(ENDS_WALL) &&
      wall >= this.read(BEGUN_WALL)
    )
  }

  /** Milliseconds until it ends on the monotonic clock; negative afterwards. */
  get leftMs(): number {
    return this.read(ENDS_STEADY) - steadyNow()
  }

  /** Prolongs the lease by a renewal that was sent at this instant, unless a later one has prolonged it. */
  extend({ steady, wall }: Instant, leaseMs: number): void {
    if (steady + leaseMs <= this.read(ENDS_STEADY)) return
    this.numbers[BEGUN_WALL] = wall
    this.numbers[ENDS_WALL] = wall + leaseMs
    this.numbers[ENDS_STEADY] = steady + leaseMs
  }

  private read(index: number): number {
    return this.numbers[index] ?? 0
  }
}
