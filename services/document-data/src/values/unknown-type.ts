import { AppError } from '@sheaf/kit/errors'
import { findNearMiss } from '@sheaf/kit/near-miss'
import { shorten } from '@sheaf/kit/truncate-text'

/** The error for a column type that does not exist, with the known one that was probably meant. */
export function unknownColumnType(type: string, known: readonly string[]): AppError {
  const shown = shorten(type)
  const { hint, details } = findNearMiss(type, known)
  const message = `Unknown column type "${shown}"${hint}`
  return new AppError('invalid', 'UNKNOWN_COLUMN_TYPE', message, {
    field: 'type',
    type: shown,
    ...details,
  })
}
