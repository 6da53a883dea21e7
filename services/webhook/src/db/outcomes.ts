import type { Transaction, Updateable } from 'kysely'
import { asynchronousCommit, type LeasedWebhook } from './leases'
import type { StoredDelivery } from './next-delivery'
import type { StoredBatch, WebhookSchema } from './schema'

type Trx = Transaction<WebhookSchema>

/** Changed columns of a webhook. */
export type WebhookChange = Updateable<WebhookSchema['webhooks']>

/** The result of one attempt. */
export interface AttemptFacts {
  /** Null for success. */
  readonly error: string | null
  readonly httpStatus: number | null
  readonly excerpt: string
  readonly durationMs: number
}

/**
 * Records an attempt and the resulting state of its delivery; returns the delivery, or undefined when it was
 * dropped meanwhile: then the outcome is discarded.
 */
export async function recordAttempt(
  trx: Trx,
  deliveryId: string,
  facts: AttemptFacts,
  state: StoredDelivery['state'],
): Promise<StoredDelivery | undefined> {
  return trx
    .updateTable('deliveries')
    .set((eb) => ({
      state,
      attempts: eb('attempts', '+', 1),
      attempted_at: eb.fn<Date>('clock_timestamp'),
      http_status: facts.httpStatus,
      duration_ms: facts.durationMs,
      error: facts.error,
      response_excerpt: facts.excerpt,
    }))
    .where('id', '=', deliveryId)
    .where('state', '=', 'waiting')
    .returningAll()
    .executeTakeFirst()
}

/** Returns the usage figures after an attempt. */
export function usageAfter(
  facts: AttemptFacts,
  { size, attempts }: StoredDelivery,
  now: Date,
  status: StoredBatch['status'],
): WebhookChange {
  const isRedirect = facts.httpStatus !== null && facts.httpStatus >= 300 && facts.httpStatus < 400
  const told = facts.httpStatus === null || isRedirect ? '' : facts.excerpt
  const errorMessage = facts.error === null ? null : told || facts.error
  const batch: StoredBatch = {
    status,
    httpStatus: facts.httpStatus,
    errorMessage,
    size,
    attempts,
  }
  return {
    last_http_status: facts.httpStatus,
    last_batch: JSON.stringify(batch),
    ...(errorMessage === null
      ? { last_success_at: now }
      : { last_failure_at: now, last_error: errorMessage }),
  }
}

/**
 * Updates the webhook that this transaction holds. A mere outcome may be lost in a crash of the database
 * server: the delivery would be repeated under its id. With `isBinding`, the change must be durable before it
 * is acted upon, such as a new delivery.
 */
export async function updateWebhook(
  trx: Trx,
  { id, now }: LeasedWebhook,
  change: WebhookChange,
  isBinding: boolean,
): Promise<void> {
  const update = trx
    .updateTable('webhooks')
    .set({ ...change, updated_at: now })
    .where('id', '=', id)
  await (isBinding ? update : update.where(asynchronousCommit)).execute()
}
