/** A receiver that asks for more is asked again after this. */
const LONGEST_MS = 24 * 3_600_000

/** Milliseconds that the header `retry-after` asks to wait; undefined when it says nothing that can be followed. */
export function readRetryAfter(header: string | undefined, now: number): number | undefined {
  const text = header?.trim() ?? ''
  const ms = /^\d{1,15}$/.test(text) ? Number(text) * 1_000 : readDate(text) - now
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(ms, 0), LONGEST_MS)
}

/** HTTP dates are in GMT, and begin with the day of the week. */
function readDate(text: string): number {
  return /^[A-Z][a-z]{2,8},? .*(GMT|\d{4})$/.test(text) ? Date.parse(text) : NaN
}
