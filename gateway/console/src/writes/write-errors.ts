import { isPassing, isSignedOut } from '../api/passing-error'

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

/** True if the table has no column with an id of the write. */
export const isUnknownColumn = (error: unknown): boolean => reasonOf(error) === 'INVALID_COLUMN'
