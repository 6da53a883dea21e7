import { AppError } from '@sheaf/kit/errors'
import { shorten } from '@sheaf/kit/truncate-text'

/** Names a webhook. Both are UUIDs. */
export interface WebhookRef {
  readonly docId: string
  readonly webhookId: string
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** Validates a webhook reference: its id must be a lower-case UUID, as issued. Throws `not_found`. */
export function requireRef({ docId, webhookId }: WebhookRef): WebhookRef {
  if (!UUID.test(webhookId)) throw webhookNotFound(webhookId)
  return { docId, webhookId }
}

/** Returns the error for a webhook that does not exist. */
export function webhookNotFound(webhookId: string): AppError {
  return new AppError('not_found', 'WEBHOOK_NOT_FOUND', `Webhook not found "${shorten(webhookId)}"`)
}
