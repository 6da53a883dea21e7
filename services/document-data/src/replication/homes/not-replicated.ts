import { AppError } from '@sheaf/kit/errors'

/** The refusal of what only a replicated instance can do. */
export function notReplicated(): AppError {
  return new AppError(
    'precondition',
    'NOT_REPLICATED',
    'the documents of an instance without replication are on its disk alone',
  )
}
