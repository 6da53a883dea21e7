/** Where people go who have not said where. */
export const DEFAULT_NEXT = '/console/'
const MAX_LENGTH = 1024
// Some browsers take a backslash for a slash, and leave out control characters.
// eslint-disable-next-line no-control-regex -- finding control characters is what this is for
const DECEPTIVE = /[\\\u0000-\u0020\u007f]/
const BASE = 'http://sheaf.invalid'

/** The path, with its query, that somebody is sent on to: the one given if it leads nowhere but this site. */
export function safeNext(given: string | null | undefined): string {
  if (!given || given.length > MAX_LENGTH || DECEPTIVE.test(given)) return DEFAULT_NEXT
  if (!given.startsWith('/') || !URL.canParse(given, BASE)) return DEFAULT_NEXT
  const { origin, pathname, search, hash } = new URL(given, BASE)
  // `/.//host` is a path whose normal form is none.
  if (origin !== BASE || pathname.startsWith('//')) return DEFAULT_NEXT
  const path = pathname + search + hash
  return path.length > MAX_LENGTH ? DEFAULT_NEXT : path
}
