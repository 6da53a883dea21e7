import { NotFoundError } from '@sheaf/client'
import { isPassing, isSignedOut } from '../../api/passing-error'

const reasonOf = (error: unknown): string | undefined =>
  (error as { reason?: string } | undefined)?.reason

/** True if the same write may succeed later. */
export const isLater = (error: unknown): boolean => isPassing(error) || isSignedOut(error)

/** True if the error is no answer to the write: the server was not reached, or does not know the user. */
export function isAway(error: unknown): boolean {
  const { status = 0 } = (error ?? {}) as { status?: number }
  return isSignedOut(error) || (status === 0 && reasonOf(error) !== 'TIMED_OUT')
}

/** True if a cell is not as it was expected to be. */
export const isCellChanged = (error: unknown): boolean => reasonOf(error) === 'CELL_CHANGED'

/** True if the table, or a column of the write, does not exist under its id: it was renamed or deleted. */
export const isUnknownName = (error: unknown): boolean =>
  reasonOf(error) === 'INVALID_COLUMN' || isUnknownTable(error)

/** True if the document has no table with the id of the write. */
export const isUnknownTable = (error: unknown): boolean => reasonOf(error) === 'TABLE_NOT_FOUND'

/** Returns the error of a write to a table, or to columns, that were found to be deleted before it was sent. */
export const goneError = (what: 'table' | 'column'): Error =>
  new NotFoundError({
    status: 404,
    reason: what === 'table' ? 'TABLE_NOT_FOUND' : 'INVALID_COLUMN',
    message: `The ${what} was deleted.`,
  })
