import { retry } from '@sheaf/kit/backoff'
import { toAppError } from '@sheaf/kit/errors'
import type { Exchange } from '../http/exchange'

/** The first repetition follows at once: a document that has moved has a home already. */
const DELAYS_MS = [0, 50, 100, 200, 400, ...Array<number>(30).fill(500)]

/**
 * Reasons by which an instance refuses a call about a document of which it is not, or no longer, the home. It refuses a
 * token that has expired on the way or whose key was replaced, and every token while its clock is wrong: until its lease
 * has ended.
 */
const refusals = new Set([
  'WRONG_HOME',
  'DOCUMENT_MOVED',
  'DOCUMENT_FORMAT_UNREADABLE',
  'HOME_LEASE_ENDED',
  'BAD_CALLER_TOKEN',
])

/**
 * Reasons that leave the effect of a call unknown: the connection broke, the home is stopping or starting, or PostgreSQL
 * did not confirm the write. `HOME_UNAVAILABLE` comes from the services that call a home themselves.
 */
const indeterminate = new Set([
  'SERVICE_UNAVAILABLE',
  'CANCELLED',
  'DOCUMENT_CLOSED',
  'LOG_UNAVAILABLE',
  'HOME_UNAVAILABLE',
])

/** True for the refusal of a call, which has had no effect, by an instance that is not the home of the document. */
export function isRefusedByHome(error: unknown): boolean {
  return refusals.has(toAppError(error)?.reason ?? '')
}

/** True for a failure that leaves the effect of a call unknown. */
export function isIndeterminate(error: unknown): boolean {
  return indeterminate.has(toAppError(error)?.reason ?? '')
}

/** True when there is no instance to call: the lease of the home has ended, and no other instance has the document yet. */
export function isWithoutHome(error: unknown): boolean {
  return toAppError(error)?.reason === 'HOME_UNAVAILABLE'
}

/**
 * Makes an attempt, and repeats it while `isRetryable` is true of its errors, with growing delays, for the time of a failover
 * and at most until the deadline of the request. Rejects with the last error; at once when too many requests, or too many
 * bytes of bodies, wait in this way.
 */
export async function repeatCall<T>(
  exchange: Exchange,
  attempt: () => Promise<T>,
  isRetryable: (error: unknown) => boolean,
): Promise<T> {
  try {
    return await attempt()
  } catch (error) {
    const release = isRetryable(error) ? exchange.hold() : undefined
    if (!release) throw error
    try {
      return await retry(attempt, {
        delaysMs: DELAYS_MS,
        deadline: Math.min(
          exchange.deadline,
          Date.now() + exchange.context.config.timeouts.failoverMs,
        ),
        signal: exchange.signal,
        isRetryable: (error) => !exchange.cancellation.aborted && isRetryable(error),
      })
    } finally {
      release()
    }
  }
}
