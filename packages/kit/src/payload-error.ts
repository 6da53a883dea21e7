import { AppError } from './errors'

/**
 * The error for a body that violates its schema: the message has the first reason, `userError` all faults as clients
 * of the Grist API expect them.
 * @param reason for people
 * @param faults the reason itself by default
 */
export function payloadError(reason: string, faults: readonly string[] = [reason]): AppError {
  return new AppError('invalid', 'INVALID_PAYLOAD', `Invalid payload: ${reason}`, {
    userError: `Error: ${faults.join('\n    ')}`,
  })
}
