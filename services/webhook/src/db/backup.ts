import type { DumpPlan } from '@sheaf/kit/postgres/database-dump'
import { sql, type Transaction } from 'kysely'
import { migrations } from './migrations/index'
import type { WebhookSchema } from './schema'

type Trx = Transaction<WebhookSchema>

/** Webhooks, without their queues and delivery logs. */
export const dumpPlan: DumpPlan = {
  schema: 'webhook',
  version: migrations.length,
  tables: [{ name: 'documents' }, { name: 'webhooks' }],
}

/** Removes all webhooks, and the tombstones of documents. */
export async function clearWebhooks(trx: Trx): Promise<void> {
  await sql`delete from documents`.execute(trx)
  await sql`delete from tombstones`.execute(trx)
}

/** The last entry of a document's log. */
export interface LogEnd {
  readonly docId: string
  readonly seq: number
}

/**
 * Advances the webhooks of these documents to the end of their logs, which are read soon, so that only later
 * events are delivered: earlier ones were delivered when they occurred.
 */
export async function skipLogs(trx: Trx, ends: readonly LogEnd[]): Promise<void> {
  const docIds = ends.map(({ docId }) => docId)
  const seqs = ends.map(({ seq }) => seq)
  await sql`
    update webhooks w set after_seq = greatest(w.after_seq, e.seq)
    from unnest(${docIds}::uuid[], ${seqs}::bigint[]) as e (doc_id, seq)
    where w.doc_id = e.doc_id`.execute(trx)
  await sql`
    update documents set created_at = now(), due_at = now(), failures = 0
    where doc_id = any(${docIds}::uuid[])`.execute(trx)
}

/**
 * Empties the queues of all webhooks; one that was halted by its receiver stays halted until its owner
 * restarts it. Removes documents without a log end, with their webhooks: they were deleted before the backup
 * reached them, and no notification of that would follow.
 */
export async function resetWebhooks(trx: Trx): Promise<void> {
  // The others were marked in this transaction.
  await sql`delete from documents where created_at <> now()`.execute(trx)
  await sql`
    update webhooks set waiting_count = 0, waiting_bytes = 0, stopped_seq = null,
      stopped_reason = case when halted_at is not null then stopped_reason end,
      status = case when halted_at is not null or status = 'invalid' then status else 'idle' end,
      partial_seq = null, partial_row = null, attempts = 0, failing_since = null, retry_at = null, due_at = null,
      lease_until = null, lease_id = null`.execute(trx)
}
