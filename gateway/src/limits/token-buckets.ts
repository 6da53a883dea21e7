import { LRUCache } from 'lru-cache'

const WINDOW_MS = 60_000
/** Buckets kept at once; of more, those that were used longest ago count as full. */
const MAX_BUCKETS = 20_000
/** Sums of fractions of a millisecond are not exact. */
const EPSILON = 1e-6

/** How a bucket stands after something was asked of it. */
export interface Standing {
  /** True when there was nothing left to take. */
  readonly isRefused: boolean
  /** When there will be, in milliseconds; 0 unless it was refused. */
  readonly retryAfterMs: number
  /** Value of the header `RateLimit-Policy`. */
  readonly policy: string
  /** Value of the header `RateLimit`: what is left, and in how many seconds all of it will be there again. */
  readonly text: string
}

/**
 * A bucket for each caller, which holds as much as one may do in a minute and fills up evenly. Of each only the moment is
 * kept when it will be full (the generic cell rate algorithm), so taking costs a look-up and some arithmetic.
 */
export class TokenBuckets {
  private readonly buckets = new LRUCache<string, { fullAt: number }>({ max: MAX_BUCKETS })
  private readonly intervalMs: number
  private readonly policy: string

  /**
   * @param name of the policy, as headers show it
   * @param clock milliseconds that only ever grow
   */
  constructor(
    private readonly name: string,
    perMinute: number,
    private readonly clock: () => number = () => performance.now(),
  ) {
    this.intervalMs = WINDOW_MS / Math.max(1, perMinute)
    this.policy = `"${name}";q=${perMinute};w=${WINDOW_MS / 1000}`
  }

  /** Takes one from a caller's bucket, if there is one left. */
  take(who: string): Standing {
    const bucket = this.buckets.get(who)
    const now = this.clock()
    const fullAt = Math.max(now, bucket?.fullAt ?? 0) + this.intervalMs
    const isRefused = this.isOver(fullAt, now)
    if (isRefused) return this.standing(fullAt - this.intervalMs, now, true)
    if (bucket) bucket.fullAt = fullAt
    else this.buckets.set(who, { fullAt })
    return this.standing(fullAt, now, false)
  }

  /** How a bucket stands, as if one would be taken. */
  peek(who: string): Standing {
    const now = this.clock()
    const fullAt = Math.max(now, this.buckets.get(who)?.fullAt ?? 0)
    return this.standing(fullAt, now, this.isOver(fullAt + this.intervalMs, now))
  }

  /** Gives one back. */
  give(who: string): void {
    const bucket = this.buckets.get(who)
    if (bucket) bucket.fullAt -= this.intervalMs
  }

  private isOver(fullAt: number, now: number): boolean {
    return fullAt - now > WINDOW_MS + EPSILON
  }

  private standing(fullAt: number, now: number, isRefused: boolean): Standing {
    const { name, policy, intervalMs } = this
    const untilFull = fullAt - now
    const left = Math.max(0, Math.floor((WINDOW_MS - untilFull) / intervalMs + EPSILON))
    return {
      isRefused,
      retryAfterMs: isRefused ? Math.max(0, untilFull + intervalMs - WINDOW_MS) : 0,
      policy,
      text: `"${name}";r=${left};t=${Math.ceil(untilFull / 1000)}`,
    }
  }
}
