import type { DumpPlan } from '@sheaf/kit/postgres/database-dump'
import { sql, type Transaction } from 'kysely'
import { migrations } from './migrations/index'
import type { WebhookSchema } from './schema'

type Trx = Transaction<WebhookSchema>

/** Webhooks, without what waits for them and what was delivered. */
export const dumpPlan: DumpPlan = {
  schema: 'webhook',
  version: migrations.length,
  tables: [{ name: 'documents' }, { name: 'webhooks' }],
}

/** Removes all webhooks, and what is known of documents that are gone. */
export async function clearWebhooks(trx: Trx): Promise<void> {
  await sql`delete from documents`.execute(trx)
  await sql`delete from tombstones`.execute(trx)
}

/** The end of the log of a document. */
export interface LogEnd {
  readonly docId: string
  readonly seq: number
}

/**
 * Lets the webhooks of these documents follow what their logs hold, which are looked into soon, and deliver only what comes
 * after: the rest was delivered when it happened.
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
 * Has nothing wait for any webhook; one whose receiver wanted no more stays halted, until its owner starts it again.
 * Removes the documents whose logs have no end, with their webhooks: they were deleted before the backup came to them, and
 * nobody would tell of that again.
 */
export async function settleWebhooks(trx: Trx): Promise<void> {
  // The others were marked in this transaction.
  await sql`delete from documents where created_at <> now()`.execute(trx)
  await sql`
    update webhooks set waiting_count = 0, waiting_bytes = 0, stopped_seq = null,
      stopped_reason = case when halted_at is not null then stopped_reason end,
      status = case when halted_at is not null or status = 'invalid' then status else 'idle' end,
      partial_seq = null, partial_row = null, attempts = 0, failing_since = null, retry_at = null, due_at = null,
      lease_until = null, lease_id = null`.execute(trx)
}
