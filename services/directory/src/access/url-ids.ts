import { randomUUID } from 'node:crypto'
import { AppError } from '@sheaf/kit/errors'
import { looksLikeUuid } from './domains'
import { readShortUuid } from './short-ids'

/** Length of the UUID prefix that is a document's default url id. */
const DEFAULT_LENGTH = 12

/**
 * Returns the url id. Throws `invalid` for one that is malformed or could be mistaken for a document's id.
 */
export function requireUrlId(urlId: string): string {
  const wellFormed = /^[a-z0-9-]{1,64}$/i.test(urlId)
  const isId = /^\d+$/.test(urlId) || looksLikeUuid(urlId) || readShortUuid(urlId) !== undefined
  if (wellFormed && urlId !== 'new' && !isId) return urlId
  throw new AppError('invalid', 'INVALID_URL_ID', 'invalid urlId', { field: 'urlId' })
}

/** Creates a UUID whose prefix is a valid url id: digits alone would be parsed as an integer id. */
export function newDocumentIds(): { docId: string; urlId: string } {
  for (;;) {
    const docId = randomUUID()
    const urlId = docId.replaceAll('-', '').slice(0, DEFAULT_LENGTH)
    if (!/^\d+$/.test(urlId)) return { docId, urlId }
  }
}
