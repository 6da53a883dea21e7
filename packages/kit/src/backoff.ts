import { setTimeout as sleep } from 'node:timers/promises'

/** Bounds of an exponential backoff, in milliseconds. */
export interface BackoffLimits {
  /** Delay after the first failure. */
  readonly firstMs: number
  /** Upper bound of the delay. */
  readonly longestMs: number
}

/** Beyond this exponent every delay has reached any sensible bound, and the power would leave the safe integers. */
const MAX_EXPONENT = 30

/**
 * Returns a delay spread evenly around `ms`, so that processes that failed together do not retry together.
 * @param spread largest deviation, as a share of `ms`
 * @param random from 0 to 1; tests set it
 */
export function jitter(ms: number, spread = 0.5, random = Math.random()): number {
  return ms * (1 - spread + 2 * spread * random)
}

/** Returns the delay after so many consecutive failures (1 or more), without jitter: it doubles up to the bound. */
export function backoffDelay(failures: number, { firstMs, longestMs }: BackoffLimits): number {
  return Math.min(firstMs * 2 ** Math.min(failures - 1, MAX_EXPONENT), longestMs)
}

/** The delays of one retry loop: exponential, with jitter. */
export class Backoff {
  private failures = 0

  constructor(private readonly limits: BackoffLimits) {}

  /** True until the first failure after construction or `reset`. */
  get isFresh(): boolean {
    return this.failures === 0
  }

  /** Counts a failure and returns the delay before the next attempt, in milliseconds. */
  nextDelay(): number {
    this.failures++
    return jitter(backoffDelay(this.failures, this.limits))
  }

  /** Starts over with the first delay; to be called after a success. */
  reset(): void {
    this.failures = 0
  }
}

/** How `retry` repeats an operation. */
export interface RetryOptions {
  /** Delays between attempts in milliseconds, before jitter; there is one attempt more than delays. */
  readonly delaysMs: readonly number[]
  /** Returns whether the operation may succeed when it is repeated. */
  readonly isRetryable: (error: unknown) => boolean
  /** Epoch milliseconds; no retry is made whose delay, with jitter, would reach it. */
  readonly deadline?: number
  /** Ends a delay, and the retries, with its reason. */
  readonly signal?: AbortSignal
}

/** Runs an operation until it succeeds, and rejects with the last error when its retries are used up. */
export async function retry<T>(
  attempt: () => Promise<T>,
  { delaysMs, isRetryable, deadline = Infinity, signal }: RetryOptions,
): Promise<T> {
  for (const medianMs of delaysMs) {
    const delayMs = jitter(medianMs)
    try {
      return await attempt()
    } catch (error) {
      if (!isRetryable(error) || Date.now() + delayMs >= deadline) throw error
    }
    await sleep(delayMs, undefined, { signal }).catch(() => {})
    signal?.throwIfAborted()
  }
  return attempt()
}
