import { transact } from '@sheaf/kit/postgres/database'
import { sql, type Kysely, type Transaction, type Updateable } from 'kysely'
import { lockDocument } from './documents'
import type { WebhookSchema } from './schema'

/** Events that one transaction deletes in well under a second. */
const CHUNK = 20_000

/** Columns of a webhook with an empty queue. A concurrent delivery session detects that. */
export const emptiedQueue = {
  waiting_count: 0,
  waiting_bytes: 0,
  due_at: null,
  attempts: 0,
  failing_since: null,
  retry_at: null,
} as const satisfies Updateable<WebhookSchema['webhooks']>

/**
 * Deletes events of a webhook in small transactions, with their counts, until few are left: deleting a large
 * queue in one transaction would lock its document for long.
 */
export async function shrinkQueue(
  db: Kysely<WebhookSchema>,
  docId: string,
  webhookId: string,
): Promise<void> {
  while (await dropChunk(db, docId, webhookId));
}

/** Deletes the queue of a webhook, events and deliveries; deliveries remain in the log as failed. */
export async function dropQueue(trx: Transaction<WebhookSchema>, webhookId: string): Promise<void> {
  await trx.deleteFrom('events').where('webhook_id', '=', webhookId).execute()
  await trx
    .updateTable('deliveries')
    .set({ state: 'failed', error: 'dropped from the queue', body: null })
    .where('webhook_id', '=', webhookId)
    .where('state', '=', 'waiting')
    .execute()
}

/** Returns true when there may be more to delete. */
function dropChunk(db: Kysely<WebhookSchema>, docId: string, webhookId: string): Promise<boolean> {
  return transact(db, async (trx) => {
    const waiting = await trx
      .selectFrom('webhooks')
      .select('id')
      .where('id', '=', webhookId)
      .where('doc_id', '=', docId)
      .where('waiting_count', '>', CHUNK)
      .executeTakeFirst()
    if (!waiting || !(await lockDocument(trx, docId))) return false
    const { rows } = await sql<{ dropped: number }>`
      with webhook as (
        select id from webhooks where id = ${webhookId} for update
      ), dropped as (
        delete from events e using (
          select o.webhook_id, o.seq, o.row_number from events o, webhook
          where o.webhook_id = webhook.id
          order by o.seq, o.row_number limit ${sql.lit(CHUNK)}
        ) oldest
        where (e.webhook_id, e.seq, e.row_number) = (oldest.webhook_id, oldest.seq, oldest.row_number)
        returning octet_length(e.body) as bytes
      ), total as (
        select count(*) as events, coalesce(sum(bytes), 0) as bytes from dropped
      )
      update webhooks w
      set waiting_count = greatest(0, w.waiting_count - total.events),
        waiting_bytes = greatest(0, w.waiting_bytes - total.bytes)
      from total where w.id = ${webhookId}
      returning total.events as dropped`.execute(trx)
    return rows[0]?.dropped === CHUNK
  })
}
