import { AppError } from '@sheaf/kit/errors'

/**
 * The number from which an instance of document-data understands former moments, dry runs, strict writes, the history of one key and
 * caps of keys.
 */
export const PAST_AND_CAPS = 1
/** The number from which it keeps documents that are deleted, and makes them again. */
export const KEEPS = 2
/** The number from which it searches in tables. */
export const SEARCHES = 3
/** The number from which it imports files with options. */
export const IMPORT_OPTIONS = 4
/** The number from which it has forms. */
export const FORMS = 5
/** The number from which it counts the values of a column in records that are searched. */
export const SEARCHED_VALUES = 6
/** The number from which it searches for what readers of a language see. */
export const SEARCH_LOCALES = 6
/** The number from which imports into a document honour If-Match, Idempotency-Key and strict requests. */
export const CONDITIONAL_IMPORTS = 6

/**
 * Throws AppError `unavailable` for an instance of document-data that would ignore a part of a call.
 * @param protocol what it has reported: see `DOCUMENT_PROTOCOL`
 */
export function requireProtocol(protocol: number, needed: number): void {
  if (protocol < needed)
    throw new AppError(
      'unavailable',
      'HOME_TOO_OLD',
      'the instance of the document is older than this call and is being upgraded, retry later',
    )
}
