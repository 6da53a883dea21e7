import { AppError } from '@sheaf/kit/errors'

/** More rows are skipped by no read. */
const MAX_OFFSET = 10_000_000

/** How many rows a read is to skip. Throws AppError `invalid` (INVALID_OFFSET) for what is no such number. */
export function readOffset(offset: number): number {
  if (offset >= 0 && offset <= MAX_OFFSET) return offset
  const message = `offset must be an integer from 0 to ${MAX_OFFSET}`
  throw new AppError('invalid', 'INVALID_OFFSET', message)
}
