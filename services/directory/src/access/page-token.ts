import { AppError } from '@sheaf/kit/errors'

/** Where a page ends: the sort keys of its last row, in their order. */
export type PageKeys = readonly (string | number | boolean)[]

/** A token that leads to what comes after these keys. */
export function writePageToken(keys: PageKeys): string {
  return Buffer.from(JSON.stringify(keys)).toString('base64url')
}

/**
 * The keys of a token, which must have these types; undefined for the first page, which has no token. Throws `invalid` for a token that no
 * page has given.
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

/** Whether PostgreSQL can compare with it: its integers are small, its texts have no NUL. */
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
