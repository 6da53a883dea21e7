import { LRUCache } from 'lru-cache'

const WINDOW_MS = 60_000
/** Buckets kept in memory; beyond that, the least recently used ones count as full. */
const MAX_BUCKETS = 20_000
/** Sums of fractions of a millisecond are not exact. */
const EPSILON = 1e-6

/** State of a bucket after a request. */
export interface BucketState {
  /** True when the bucket was empty. */
  readonly isRefused: boolean
  /** Milliseconds until a token is available; 0 unless refused. */
  readonly retryAfterMs: number
  /** Value of the header `RateLimit-Policy`. */
  readonly policy: string
  /** Value of the header `RateLimit`: tokens left, and seconds until the bucket is full. */
  readonly text: string
}

/**
 * A token bucket for each caller, which holds one minute's allowance and refills evenly. Only the time at
 * which a bucket will be full is stored (the generic cell rate algorithm), so taking a token costs a lookup
 * and some arithmetic.
 */
export class TokenBuckets {
  private readonly buckets = new LRUCache<string, { fullAt: number }>({ max: MAX_BUCKETS })
  private readonly intervalMs: number
  private readonly policy: string

  /**
   * @param name of the policy, as shown in headers
   * @param clock monotonic milliseconds
   */
  constructor(
    private readonly name: string,
    perMinute: number,
    private readonly clock: () => number = () => performance.now(),
  ) {
    this.intervalMs = WINDOW_MS / Math.max(1, perMinute)
    this.policy = `"${name}";q=${perMinute};w=${WINDOW_MS / 1000}`
  }

  /** Takes a token from a caller's bucket, if one is left. */
  take(who: string): BucketState {
    const bucket = this.buckets.get(who)
    const now = this.clock()
    const fullAt = Math.max(now, bucket?.fullAt ?? 0) + this.intervalMs
    const isRefused = this.isOver(fullAt, now)
    if (isRefused) return this.standing(fullAt - this.intervalMs, now, true)
    if (bucket) bucket.fullAt = fullAt
    else this.buckets.set(who, { fullAt })
    return this.standing(fullAt, now, false)
  }

  /** Returns the state of a bucket as if a token were taken. */
  peek(who: string): BucketState {
    const now = this.clock()
    const fullAt = Math.max(now, this.buckets.get(who)?.fullAt ?? 0)
    return this.standing(fullAt, now, this.isOver(fullAt + this.intervalMs, now))
  }

  /** Returns a token. */
  give(who: string): void {
    const bucket = this.buckets.get(who)
    if (bucket) bucket.fullAt -= this.intervalMs
  }

  private isOver(fullAt: number, now: number): boolean {
    return fullAt - now > WINDOW_MS + EPSILON
  }

  private standing(fullAt: number, now: number, isRefused: boolean): BucketState {
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
