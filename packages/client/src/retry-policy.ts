import { ConnectionError, RateLimitedError, UnavailableError } from './errors.ts'

/** How often and how long calls are repeated. */
export interface RetryLimits {
  /** Number of attempts, including the first; 1 for none but the first. Default: 10. */
  readonly attempts: number
  /** Time for all attempts and the delays between them, of uploads for the delays alone, in milliseconds. Default: 120,000. */
  readonly totalMs: number
  /** Time for one attempt, in milliseconds. Default: 65,000, a little more than the server takes for a request. */
  readonly attemptMs: number
  /** Upper bound of the first delay, in milliseconds; doubles with each attempt. Default: 250. */
  readonly firstDelayMs: number
  /** Upper bound of all delays that the server does not request, in milliseconds. Default: 10,000. */
  readonly maxDelayMs: number
}

/** The limits of a client that sets none. */
export const defaultLimits: RetryLimits = {
  attempts: 10,
  totalMs: 120_000,
  attemptMs: 65_000,
  firstDelayMs: 250,
  maxDelayMs: 10_000,
}

/** Returns limits with those that are given; undefined ones are not. */
export function mergeLimits(limits: RetryLimits, given: Partial<RetryLimits> = {}): RetryLimits {
  const set = Object.entries(given).filter(([, value]) => value !== undefined)
  return { ...limits, ...Object.fromEntries(set) }
}

/**
 * Whether the same request can be sent again after this error.
 * @param isRepeatable whether the request takes effect once, however often it is sent
 */
export function canRepeat(error: unknown, isRepeatable: boolean): boolean {
  // A refused write has had no effect; without a time to wait for, a repetition would be refused as well.
  if (error instanceof RateLimitedError) return error.retryAfterMs !== undefined
  if (!(error instanceof UnavailableError)) return false
  return isRepeatable || error.details.applied === false
}

/**
 * Returns the delay before the next attempt: random up to a bound that doubles with each attempt ("full jitter"), after
 * the time that the server requests.
 * @param attempt number of attempts so far, from 1
 */
export function delayBefore(
  attempt: number,
  error: unknown,
  { firstDelayMs, maxDelayMs }: RetryLimits,
): number {
  const jitter = Math.random() * Math.min(maxDelayMs, firstDelayMs * 2 ** (attempt - 1))
  const hasResponse = error instanceof UnavailableError && !(error instanceof ConnectionError)
  const isRequested = hasResponse || error instanceof RateLimitedError
  return jitter + (isRequested ? (error.retryAfterMs ?? 0) : 0)
}
