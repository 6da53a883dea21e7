import { AppError } from '@sheaf/kit/errors'

/** A table or column name as SQL. Throws AppError `invalid` for a name with NUL, at which SQLite would stop reading. */
export function quoteId(identifier: string): string {
  if (identifier.includes('\0')) {
    throw new AppError('invalid', 'INVALID_IDENTIFIER', 'A name must not contain NUL')
  }
  return `"${identifier.replace(/"/g, '""')}"`
}

/** Text as an SQL literal; NUL is refused as above. */
export function quoteText(text: string): string {
  if (text.includes('\0')) {
    throw new AppError('invalid', 'INVALID_IDENTIFIER', 'A name must not contain NUL')
  }
  return `'${text.replace(/'/g, "''")}'`
}
