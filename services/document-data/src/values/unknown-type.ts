import { AppError } from '@sheaf/kit/errors'
import { shorten } from '@sheaf/kit/truncate-text'

/** The error for a column type that does not exist. */
export function unknownColumnType(type: string): AppError {
  const shown = shorten(type)
  const message = `Unknown column type "${shown}"`
  return new AppError('invalid', 'UNKNOWN_COLUMN_TYPE', message, { type: shown })
}
