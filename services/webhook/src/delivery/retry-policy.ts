import { backoffDelay, jitter } from '@sheaf/kit/backoff'
import type { PostOutcome } from '../targets/post'

/** Delays double from the first to the longest one. */
const WAITS = { firstMs: 1_000, longestMs: 3_600_000 }
/** Relative jitter, so that deliveries that failed together are not retried together. */
const JITTER = 0.2
/** From this delay on, the status is `postponed`. */
const POSTPONED_MS = 10 * 60_000
/** After failing for this long, a webhook is halted. */
const GIVEN_UP_MS = 5 * 24 * 3_600_000
/** Longest delay that a receiver can request. */
const LONGEST_RETRY_AFTER_MS = 24 * 3_600_000
const GONE = 410

/** The state of a webhook before the attempt. */
export interface FailureHistory {
  /** Consecutive failures. */
  readonly attempts: number
  readonly failingSince: Date | null
  readonly now: Date
}

/** The consequence of an attempt. */
export type RetryDecision =
  | { readonly next: 'go on' }
  | {
      readonly next: 'try again'
      readonly status: 'retrying' | 'postponed' | 'invalid'
      readonly waitMs: number
    }
  | { readonly next: 'halt'; readonly reason: string }

/** Decides what follows an attempt. `random` is between 0 and 1. */
export function decideRetry(
  outcome: Pick<PostOutcome, 'error' | 'httpStatus' | 'retryAfter' | 'isRefused'>,
  { attempts, failingSince, now }: FailureHistory,
  random: number,
): RetryDecision {
  if (outcome.error === null) return { next: 'go on' }
  if (outcome.httpStatus === GONE)
    return { next: 'halt', reason: 'the receiver returned HTTP status 410 (gone)' }
  if (failingSince && now.getTime() - failingSince.getTime() >= GIVEN_UP_MS)
    return { next: 'halt', reason: 'no successful delivery for 5 days' }
  const asked = readRetryAfter(outcome.retryAfter, now.getTime()) ?? 0
  const waitMs = Math.max(backoffAfter(attempts + 1, random), asked)
  const status = outcome.isRefused ? 'invalid' : waitMs >= POSTPONED_MS ? 'postponed' : 'retrying'
  return { next: 'try again', status, waitMs }
}

/**
 * Returns the delay after this many failures in milliseconds: 1, 2, 4, … seconds up to an hour, with jitter.
 */
export function backoffAfter(failures: number, random: number): number {
  return Math.round(jitter(backoffDelay(failures, WAITS), JITTER, random))
}

/** Parses a `Retry-After` header to milliseconds; undefined when it is absent or malformed. */
function readRetryAfter(header: string | undefined, now: number): number | undefined {
  const text = header?.trim() ?? ''
  const ms = /^\d{1,15}$/.test(text) ? Number(text) * 1_000 : readDate(text) - now
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(ms, 0), LONGEST_RETRY_AFTER_MS)
}

/** HTTP dates are in GMT and begin with the day of the week. */
function readDate(text: string): number {
  return /^[A-Z][a-z]{2,8},? .*(GMT|\d{4})$/.test(text) ? Date.parse(text) : NaN
}
