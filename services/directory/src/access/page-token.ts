import { AppError } from '@sheaf/kit/errors'

/** The end of a page: the sort keys of its last row, in order. */
export type PageKeys = readonly (string | number | boolean)[]

/** Encodes a token for the page that follows these keys. */
export function writePageToken(keys: PageKeys): string {
  return Buffer.from(JSON.stringify(keys)).toString('base64url')
}

/**
 * Decodes the keys of a token, which must have these types; undefined for an empty token, which is the first
 * page. Throws `invalid` for a malformed token.
 */
export function readPageToken(
  token: string | undefined,
  types: readonly ('string' | 'number' | 'boolean')[],
): PageKeys | undefined {
  if (token === undefined) return undefined
  const keys: unknown = parse(token)
  const isKey = (key: unknown, at: number) => typeof key === types[at] && isStorable(key)
  if (Array.isArray(keys) && keys.length === types.length && keys.every(isKey))
    return keys as PageKeys
  throw new AppError('invalid', 'INVALID_PAGE', 'page_token is invalid', { field: 'page_token' })
}

/** True if PostgreSQL can compare with the key: an integer in range, or a text without NUL. */
function isStorable(key: unknown): boolean {
  if (typeof key === 'number') return key === (key | 0)
  return typeof key !== 'string' || (key.length <= 1_000 && !key.includes('\0'))
}

function parse(token: string): unknown {
  try {
    return JSON.parse(Buffer.from(token, 'base64url').toString())
  } catch {
    return undefined
  }
}
