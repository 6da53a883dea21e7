/** Longest delay that a receiver can request. */
const LONGEST_MS = 24 * 3_600_000

/** Parses a `Retry-After` header to milliseconds; undefined when it is absent or malformed. */
export function readRetryAfter(header: string | undefined, now: number): number | undefined {
  const text = header?.trim() ?? ''
  const ms = /^\d{1,15}$/.test(text) ? Number(text) * 1_000 : readDate(text) - now
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(ms, 0), LONGEST_MS)
}

/** HTTP dates are in GMT and begin with the day of the week. */
function readDate(text: string): number {
  return /^[A-Z][a-z]{2,8},? .*(GMT|\d{4})$/.test(text) ? Date.parse(text) : NaN
}
