import { AppError } from '@sheaf/kit/errors'

/** Parameters by name; a repeated name has a list. */
export type Query = Readonly<Record<string, string | readonly string[]>>

const none: Query = Object.freeze({})

/** Parses the query of a URL. Throws AppError `invalid` for a malformed escape instead of guessing. */
export function parseQuery(url: string): Query {
  const start = url.indexOf('?')
  if (start < 0 || start === url.length - 1) return none
  const query = Object.create(null) as Record<string, string | string[]>
  for (const pair of url.slice(start + 1).split('&')) {
    if (pair === '') continue
    const equals = pair.indexOf('=')
    const name = decode(equals < 0 ? pair : pair.slice(0, equals))
    const value = equals < 0 ? '' : decode(pair.slice(equals + 1))
    const before = query[name]
    query[name] = before === undefined ? value : [before, value].flat()
  }
  return query
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    throw new AppError('invalid', 'MALFORMED_QUERY', 'the query has an invalid percent-encoding')
  }
}
