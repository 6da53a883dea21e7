import { AppError } from '@sheaf/kit/errors'

/**
 * Quotes a table or column name for SQL. Throws AppError `invalid` for a name with NUL, where SQLite would
 * stop reading.
 */
export function quoteId(identifier: string): string {
  if (identifier.includes('\0')) {
    throw new AppError('invalid', 'INVALID_IDENTIFIER', 'A name must not contain NUL')
  }
  return `"${identifier.replace(/"/g, '""')}"`
}

/** Quotes text as an SQL literal. Rejects NUL like `quoteId`. */
export function quoteText(text: string): string {
  if (text.includes('\0')) {
    throw new AppError('invalid', 'INVALID_IDENTIFIER', 'A name must not contain NUL')
  }
  return `'${text.replace(/'/g, "''")}'`
}
