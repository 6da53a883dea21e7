/** Default target after signing in. */
export const DEFAULT_NEXT = '/console/'
const MAX_LENGTH = 1024
// Some browsers take a backslash for a slash, and leave out control characters.
// eslint-disable-next-line no-control-regex -- finding control characters is what this is for
const DECEPTIVE = /[\\\u0000-\u0020\u007f]/
const BASE = 'http://sheaf.invalid'

/** Returns the path, with its query, to redirect to: the given one if it stays on this site. */
export function toSafePath(given: string | null | undefined): string {
  if (!given || given.length > MAX_LENGTH || DECEPTIVE.test(given)) return DEFAULT_NEXT
  if (!given.startsWith('/') || !URL.canParse(given, BASE)) return DEFAULT_NEXT
  const { origin, pathname, search, hash } = new URL(given, BASE)
  // The normalized form of the path `/.//host` would be another host.
  if (origin !== BASE || pathname.startsWith('//')) return DEFAULT_NEXT
  const path = pathname + search + hash
  return path.length > MAX_LENGTH ? DEFAULT_NEXT : path
}
