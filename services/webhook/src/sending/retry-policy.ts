import { backoffDelay, jitter } from '@sheaf/kit/backoff'
import type { PostOutcome } from '../targets/post'
import { readRetryAfter } from './retry-after'

/** The waits before the attempts double from the first to the longest one. */
const WAITS = { firstMs: 1_000, longestMs: 3_600_000 }
/** Waits differ by so much, so that what failed together does not come back together. */
const JITTER = 0.2
/** A wait this long is a postponement. */
const POSTPONED_MS = 10 * 60_000
/** After failing for so long a webhook is given up. */
const GIVEN_UP_MS = 5 * 24 * 3_600_000
const GONE = 410

/** How a webhook fared before the attempt. */
export interface Before {
  /** Failures in a row. */
  readonly attempts: number
  readonly failingSince: Date | null
  readonly now: Date
}

/** What follows from an attempt. */
export type Verdict =
  | { readonly next: 'go on' }
  | {
      readonly next: 'try again'
      readonly status: 'retrying' | 'postponed' | 'invalid'
      readonly waitMs: number
    }
  | { readonly next: 'halt'; readonly reason: string }

/** Judges an attempt. `random` is from 0 to 1. */
export function judge(
  outcome: Pick<PostOutcome, 'error' | 'httpStatus' | 'retryAfter' | 'isRefused'>,
  { attempts, failingSince, now }: Before,
  random: number,
): Verdict {
  if (outcome.error === null) return { next: 'go on' }
  if (outcome.httpStatus === GONE)
    return { next: 'halt', reason: 'the receiver answered 410: it is gone for good' }
  if (failingSince && now.getTime() - failingSince.getTime() >= GIVEN_UP_MS)
    return { next: 'halt', reason: 'no delivery has succeeded for 5 days' }
  const asked = readRetryAfter(outcome.retryAfter, now.getTime()) ?? 0
  const waitMs = Math.max(waitAfter(attempts + 1, random), asked)
  const status = outcome.isRefused ? 'invalid' : waitMs >= POSTPONED_MS ? 'postponed' : 'retrying'
  return { next: 'try again', status, waitMs }
}

/** Milliseconds to wait after so many failures: 1, 2, 4, … seconds up to an hour, more or less. */
export function waitAfter(failures: number, random: number): number {
  return Math.round(jitter(backoffDelay(failures, WAITS), JITTER, random))
}
