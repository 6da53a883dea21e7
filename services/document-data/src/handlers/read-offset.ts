import { AppError } from '@sheaf/kit/errors'

/** Maximum number of rows that a read can skip. */
const MAX_OFFSET = 10_000_000

/** Returns the number of rows to skip. Throws AppError `invalid` (INVALID_OFFSET) for an invalid offset. */
export function readOffset(offset: number): number {
  if (offset >= 0 && offset <= MAX_OFFSET) return offset
  const message = `offset must be an integer from 0 to ${MAX_OFFSET}`
  throw new AppError('invalid', 'INVALID_OFFSET', message)
}
