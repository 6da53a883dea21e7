import { transact } from '@sheaf/kit/postgres/database'
import { AppError } from '@sheaf/kit/errors'
import {
  sql,
  type Insertable,
  type Kysely,
  type Selectable,
  type Transaction,
  type UpdateObject,
} from 'kysely'
import { enterDocument, leaveDocument, lockDocument, rewind } from './documents'
import { dropQueue, emptiedQueue, shrinkQueue } from './queues'
import type { WebhookSchema } from './schema'
import type { WebhookRef } from './webhook-ref'

type Db = Kysely<WebhookSchema>

/** A stored webhook. */
export type WebhookRow = Selectable<WebhookSchema['webhooks']>
/** Columns of a new webhook, without its document and the start of its events. */
export type NewWebhookRow = Omit<
  Insertable<WebhookSchema['webhooks']>,
  'doc_id' | 'after_seq' | 'refs_seq'
>
/** Changed columns of a webhook. */
export type WebhookUpdate = UpdateObject<WebhookSchema, 'webhooks'> & {
  readonly refs_seq?: number
}

/** Maximum number of webhooks of a document. */
export const MAX_WEBHOOKS = 200

/** Usage figures of a webhook before its first attempt. */
const noFigures = {
  status: 'idle',
  updated_at: null,
  last_success_at: null,
  last_failure_at: null,
  last_error: null,
  last_http_status: null,
  last_batch: null,
} as const satisfies WebhookUpdate

/** Returns the webhooks of a document, in order of creation. */
export function listWebhooks(db: Db, docId: string): Promise<WebhookRow[]> {
  const ofDocument = db.selectFrom('webhooks').selectAll().where('doc_id', '=', docId)
  return ofDocument.orderBy('position').limit(MAX_WEBHOOKS).execute()
}

/** Returns a webhook, or undefined. */
export function findWebhook(db: Db, ref: WebhookRef): Promise<WebhookRow | undefined> {
  return selectWebhook(db, ref).executeTakeFirst()
}

interface HeldWebhook {
  readonly row: WebhookRow
  readonly handledSeq: number
}

/**
 * Locks a webhook and its document until the end of the transaction, before any part of its queue; delivery
 * acquires locks in the same order.
 */
async function holdWebhook(
  trx: Transaction<WebhookSchema>,
  ref: WebhookRef,
): Promise<HeldWebhook | undefined> {
  const document = await lockDocument(trx, ref.docId)
  const row = document && (await selectWebhook(trx, ref).forUpdate().executeTakeFirst())
  return row && { row, handledSeq: document.handled_seq }
}

function selectWebhook(db: Db, { docId, webhookId }: WebhookRef) {
  return db
    .selectFrom('webhooks')
    .selectAll()
    .where('id', '=', webhookId)
    .where('doc_id', '=', docId)
}

/** Returns the error for a document that would exceed the maximum number of webhooks. */
export function tooManyWebhooks(): AppError {
  const message = `a document must not have more than ${MAX_WEBHOOKS} webhooks`
  return new AppError('too_many', 'TOO_MANY_WEBHOOKS', message)
}

/**
 * Stores webhooks, all or none, with refs as of `seq`, after which their events begin; resolves to their
 * positions, in the given order. Throws AppError when the document was deleted or would have too many.
 */
export function insertWebhooks(
  db: Db,
  { docId, seq }: { docId: string; seq: number },
  rows: readonly NewWebhookRow[],
): Promise<number[]> {
  return transact(db, async (trx) => {
    await enterDocument(trx, docId, seq)
    const { count } = await trx
      .selectFrom('webhooks')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .where('doc_id', '=', docId)
      .executeTakeFirstOrThrow()
    if (count + rows.length > MAX_WEBHOOKS) throw tooManyWebhooks()
    const inserted = await trx
      .insertInto('webhooks')
      .values(rows.map((row) => ({ ...row, doc_id: docId, after_seq: seq, refs_seq: seq })))
      .returning('position')
      .execute()
    return inserted.map(({ position }) => position)
  })
}

/** Changes a webhook as `decide` returns for its current row; false when it does not exist. */
export function changeWebhook(
  db: Db,
  { docId, webhookId }: WebhookRef,
  decide: (row: WebhookRow) => WebhookUpdate,
): Promise<boolean> {
  return transact(db, async (trx) => {
    const held = await holdWebhook(trx, { docId, webhookId })
    if (!held) return false
    await change(trx, held, decide(held.row))
    return true
  })
}

/**
 * Stops a webhook along with a change, drops its queue and resets its delivery statistics; false when it does
 * not exist. Does nothing when `decide` throws.
 */
export async function stopWebhook(
  db: Db,
  { docId, webhookId }: WebhookRef,
  decide: (row: WebhookRow) => WebhookUpdate,
): Promise<boolean> {
  const before = await findWebhook(db, { docId, webhookId })
  if (!before) return false
  // A rejected change must drop nothing.
  decide(before)
  await shrinkQueue(db, docId, webhookId)
  return transact(db, async (trx) => {
    const held = await holdWebhook(trx, { docId, webhookId })
    if (!held) return false
    await dropQueue(trx, webhookId)
    const stopped = { ...noFigures, ...emptiedQueue, ...goesOn, enabled: false }
    await change(trx, held, { ...decide(held.row), ...stopped })
    return true
  })
}

const goesOn = { stopped_reason: null, stopped_seq: null, halted_at: null } satisfies WebhookUpdate

/**
 * Drops the queue of a webhook and resets its delivery statistics. One that stopped because its queue was
 * full receives events again; one that was halted after failures stays halted. Does nothing when it does not
 * exist.
 */
export async function clearQueue(db: Db, { docId, webhookId }: WebhookRef): Promise<void> {
  await shrinkQueue(db, docId, webhookId)
  await transact(db, async (trx) => {
    const held = await holdWebhook(trx, { docId, webhookId })
    if (!held) return
    const { row, handledSeq } = held
    await dropQueue(trx, webhookId)
    const after_seq = Math.max(row.after_seq, handledSeq)
    const isFull = row.stopped_seq !== null
    await update(trx, webhookId, {
      ...noFigures,
      ...emptiedQueue,
      ...(row.halted_at ? { status: 'error' } : goesOn),
      ...(isFull && { stopped_seq: null, after_seq }),
    })
  })
}

/** Deletes a webhook with its queue and log; false when it does not exist. */
export async function deleteWebhook(db: Db, { docId, webhookId }: WebhookRef): Promise<boolean> {
  await shrinkQueue(db, docId, webhookId)
  return transact(db, async (trx) => {
    if (!(await lockDocument(trx, docId))) return false
    const deleted = await trx
      .deleteFrom('webhooks')
      .where('id', '=', webhookId)
      .where('doc_id', '=', docId)
      .executeTakeFirst()
    await leaveDocument(trx, docId)
    return deleted.numDeletedRows > 0
  })
}

/**
 * Replaces the secret; the previous one stays valid for a day. Returns false when the webhook does not exist.
 */
export async function rotateSecret(
  db: Db,
  { docId, webhookId }: WebhookRef,
  secret: string,
): Promise<boolean> {
  const rotated = await db
    .updateTable('webhooks')
    .set({
      secret,
      // The right-hand side refers to the previous row.
      previous_secret: sql<string>`secret`,
      previous_secret_until: sql<Date>`now() + interval '24 hours'`,
    })
    .where('id', '=', webhookId)
    .where('doc_id', '=', docId)
    .executeTakeFirst()
  return rotated.numUpdatedRows > 0
}

/** Updates a locked webhook, and schedules the log from where its new refs are valid. */
async function change(trx: Transaction<WebhookSchema>, held: HeldWebhook, set: WebhookUpdate) {
  const { row, handledSeq } = held
  const { refs_seq: seq = handledSeq } = set
  await rewind(trx, row.doc_id, { handledSeq, seq })
  // Entries that its previous definition has matched are not matched again.
  const isAgain = seq < handledSeq
  await update(trx, row.id, { ...set, ...(isAgain && { after_seq: undefined }) })
}

async function update(db: Db, webhookId: string, set: WebhookUpdate): Promise<void> {
  if (Object.values(set).every((value) => value === undefined)) return
  await db.updateTable('webhooks').set(set).where('id', '=', webhookId).execute()
}
