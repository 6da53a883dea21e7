import type { IncomingMessage } from 'node:http'

/** The first preference `handling` of a Prefer header (RFC 7240). */
const HANDLING = /(?:^|,)\s*handling\s*=\s*"?([\w-]+)/i

/** Response header of a request that was handled strictly. */
export const strictApplied = ['Preference-Applied', 'handling=strict']

/**
 * Whether the client prefers an error over input that would otherwise be ignored or kept as it is:
 * `Prefer: handling=strict`.
 */
export function prefersStrict({ headers }: IncomingMessage): boolean {
  const { prefer } = headers
  // Node joins repeated headers, but its types do not know this one.
  const text = Array.isArray(prefer) ? prefer.join(',') : prefer
  return text !== undefined && HANDLING.exec(text)?.[1]?.toLowerCase() === 'strict'
}
