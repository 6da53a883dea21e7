import { AppError } from '@sheaf/kit/errors'
import { sql, type Kysely, type Transaction } from 'kysely'
import { transact } from '@sheaf/kit/postgres/database'
import type { WebhookSchema } from './schema'

type Trx = Transaction<WebhookSchema>

/**
 * Removes all data of a document and leaves a tombstone. Idempotent. A concurrent creation either precedes
 * it, and is removed, or finds the tombstone.
 */
export async function deleteDocument(db: Kysely<WebhookSchema>, docId: string): Promise<void> {
  await transact(db, async (trx) => {
    await lockRow(trx, docId, 0)
    await trx
      .insertInto('tombstones')
      .values({ doc_id: docId })
      .onConflict((conflict) => conflict.doNothing())
      .execute()
    await trx.deleteFrom('documents').where('doc_id', '=', docId).execute()
  })
}

/**
 * Creates the row of a document unless it exists, and locks it until the end of the transaction. Its log is
 * matched from `seq` on, again if necessary. Throws AppError when the document was deleted.
 */
export async function enterDocument(trx: Trx, docId: string, seq: number): Promise<void> {
  const handledSeq = await lockRow(trx, docId, seq)
  // A separate statement: it sees what was committed while the previous one waited.
  const tombstone = trx.selectFrom('tombstones').select('doc_id').where('doc_id', '=', docId)
  if (await tombstone.executeTakeFirst())
    throw new AppError('precondition', 'DOCUMENT_DELETED', 'the document was deleted')
  await rewind(trx, docId, { handledSeq, seq })
}

/**
 * Schedules entries after `seq` to be matched again when that was done without a webhook whose refs are as of
 * `seq`: some of them may have removed what it refers to. For the existing webhooks they stay handled.
 */
export async function rewind(
  trx: Trx,
  docId: string,
  { handledSeq, seq }: { handledSeq: number; seq: number },
): Promise<void> {
  if (handledSeq <= seq) return
  await trx
    .updateTable('webhooks')
    .set({
      // A webhook with a full queue has received nothing after that.
      after_seq: sql`greatest(after_seq, least(stopped_seq, ${handledSeq}::bigint))`,
      refs_seq: sql`greatest(refs_seq, ${handledSeq}::bigint)`,
    })
    .where('doc_id', '=', docId)
    .execute()
  await trx
    .updateTable('documents')
    .set({ handled_seq: seq, due_at: sql`coalesce(due_at, now())` })
    .where('doc_id', '=', docId)
    .execute()
}

/**
 * Locks the row of a document until the end of the transaction; undefined when it has no webhooks, and so no
 * row.
 */
export function lockDocument(
  trx: Trx,
  docId: string,
): Promise<{ handled_seq: number } | undefined> {
  return trx
    .selectFrom('documents')
    .select('handled_seq')
    .where('doc_id', '=', docId)
    .forUpdate()
    .executeTakeFirst()
}

/** Deletes the row of a document without webhooks; the transaction holds its lock. */
export async function leaveDocument(trx: Trx, docId: string): Promise<void> {
  await trx
    .deleteFrom('documents')
    .where('doc_id', '=', docId)
    .where(sql<boolean>`not exists (select 1 from webhooks where doc_id = ${docId})`)
    .execute()
}

/** Locks the row, inserted or not: an update without a change waits for the lock like any other. */
async function lockRow(trx: Trx, docId: string, seq: number): Promise<number> {
  const { handled_seq } = await trx
    .insertInto('documents')
    .values({ doc_id: docId, handled_seq: seq })
    .onConflict((conflict) =>
      conflict.column('doc_id').doUpdateSet({ doc_id: sql`excluded.doc_id` }),
    )
    .returning('handled_seq')
    .executeTakeFirstOrThrow()
  return handled_seq
}
