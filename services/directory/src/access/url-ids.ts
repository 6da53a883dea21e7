import { randomUUID } from 'node:crypto'
import { AppError } from '@sheaf/kit/errors'
import { looksLikeUuid } from './domains'

/** How much of the UUID makes the url id that a document gets by itself. */
const DEFAULT_LENGTH = 12

/** The url id itself. Throws `invalid` for one that is malformed, or that a document's id could be mistaken for. */
export function requireUrlId(urlId: string): string {
  const wellFormed = /^[a-z0-9-]{1,64}$/i.test(urlId)
  if (wellFormed && urlId !== 'new' && !/^\d+$/.test(urlId) && !looksLikeUuid(urlId)) return urlId
  throw new AppError('invalid', 'INVALID_URL_ID', 'invalid urlId', { field: 'urlId' })
}

/** A new UUID whose beginning makes a good url id: one of digits alone would read as an integer id. */
export function newDocumentIds(): { docId: string; urlId: string } {
  for (;;) {
    const docId = randomUUID()
    const urlId = docId.replaceAll('-', '').slice(0, DEFAULT_LENGTH)
    if (!/^\d+$/.test(urlId)) return { docId, urlId }
  }
}
