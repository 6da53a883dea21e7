import { AppError } from '@sheaf/kit/errors'
import { transact } from '@sheaf/kit/postgres/database'
import { sql, type Kysely, type Transaction } from 'kysely'
import { countEventBytes, newDeliveryId, type StoredDelivery } from './next-delivery'
import type { WebhookSchema } from './schema'
import { webhookNotFound, type WebhookRef } from './webhook-ref'

type Db = Kysely<WebhookSchema>
type Trx = Transaction<WebhookSchema>

/** Retention of a webhook's log: maximum number of deliveries. */
const KEPT = 1_000
/** Retention of a webhook's log: maximum age. */
const KEPT_DAYS = 30
/** Maximum total size of the bodies of completed deliveries. */
const KEPT_BODY_BYTES = 16 * 1024 * 1024
/** Rows per statement that deletes or empties. */
const STEP = 5_000
/** Maximum number of queued manual deliveries of one webhook. */
const MAX_BY_HAND = 100

/** Columns of a delivery that are returned; bodies are sent, but not returned. */
const shown = [
  'id',
  'position',
  'created_at',
  'state',
  'first_seq',
  'last_seq',
  'size',
  'kinds',
  'by_hand',
  'body_bytes',
  'attempts',
  'attempted_at',
  'http_status',
  'duration_ms',
  'error',
  'response_excerpt',
] as const

/** A delivery without its body. */
export type ShownDelivery = Pick<StoredDelivery, (typeof shown)[number]>

/** Selection of deliveries. */
export interface DeliveryPage {
  readonly limit: number
  /** Only deliveries older than this one; empty for the newest. */
  readonly beforeId: string
}

/** Returns the deliveries of a webhook, newest first, without bodies. Throws AppError `not_found`. */
export async function listDeliveries(
  db: Db,
  ref: WebhookRef,
  { limit, beforeId }: DeliveryPage,
): Promise<ShownDelivery[]> {
  await findWebhook(db, ref)
  const before = beforeId === '' ? undefined : await findDelivery(db, ref, beforeId)
  const all = db
    .selectFrom('deliveries')
    .select(shown)
    .where('webhook_id', '=', ref.webhookId)
    .orderBy('position', 'desc')
    .limit(limit)
  return (before ? all.where('position', '<', before.position) : all).execute()
}

/** Returns one delivery of a webhook, without its body. Throws AppError `not_found`. */
export async function getDelivery(
  db: Db,
  ref: WebhookRef,
  deliveryId: string,
): Promise<ShownDelivery> {
  await findWebhook(db, ref)
  return findDelivery(db, ref, deliveryId)
}

/**
 * Queues a delivery again, unchanged, ahead of the queue. Throws AppError `not_found`, and `conflict` when it
 * is queued already or its body has been deleted.
 */
export async function redeliver(db: Db, ref: WebhookRef, deliveryId: string): Promise<void> {
  await transact(db, async (trx) => {
    await lockWebhook(trx, ref)
    const delivery = await findDelivery(trx, ref, deliveryId)
    if (delivery.state === 'waiting')
      throw new AppError('conflict', 'DELIVERY_WAITING', 'the delivery is already queued')
    await requireRoom(trx, ref)
    // The log may be trimmed concurrently.
    const queued = await trx
      .updateTable('deliveries')
      .set({ state: 'waiting', by_hand: true })
      .where('id', '=', deliveryId)
      .where('body', 'is not', null)
      .executeTakeFirst()
    if (queued.numUpdatedRows === 0n)
      throw new AppError(
        'conflict',
        'DELIVERY_NOT_KEPT',
        'the body of the delivery is no longer stored',
      )
    await raiseWaiting(trx, ref, delivery.size, countEventBytes(delivery))
  })
}

/**
 * Queues a test event ahead of the queue; `row` is JSON. Returns the id of its delivery. Throws AppError
 * `not_found`.
 */
export async function addTestDelivery(db: Db, ref: WebhookRef, row: string): Promise<string> {
  const id = newDeliveryId()
  const body = `[${row}]`
  const delivery = { size: 1, body, body_bytes: Buffer.byteLength(body) }
  await transact(db, async (trx) => {
    await lockWebhook(trx, ref)
    await requireRoom(trx, ref)
    await trx
      .insertInto('deliveries')
      .values({
        ...delivery,
        id,
        webhook_id: ref.webhookId,
        kinds: 'test',
        by_hand: true,
      })
      .execute()
    await raiseWaiting(trx, ref, delivery.size, countEventBytes(delivery))
  })
  return id
}

/** Returns the table of a webhook; null when it was deleted. Throws AppError `not_found`. */
export async function getTableRef(db: Db, ref: WebhookRef): Promise<number | null> {
  const { table_ref } = await findWebhook(db, ref)
  return table_ref
}

/** Deletes what exceeds the retention of the logs of these webhooks. */
export async function trimLog(db: Db, webhookIds: readonly string[]): Promise<void> {
  const old = sql`created_at < now() - make_interval(days => ${KEPT_DAYS}::int)`
  await sql`
    delete from deliveries where id in (
      select id from (
        select id, state, created_at, row_number() over (partition by webhook_id order by position desc) as place
        from deliveries where webhook_id = any(${webhookIds}::uuid[])
      ) ranked
      where (place > ${KEPT} or ${old}) and state <> 'waiting' limit ${STEP}
    ) and state <> 'waiting'`.execute(db)
  await sql`
    update deliveries set body = null where id in (
      select id from (
        select id, state, sum(body_bytes) over (partition by webhook_id order by position desc) as bytes
        from deliveries where webhook_id = any(${webhookIds}::uuid[]) and body is not null
      ) summed
      where bytes > ${KEPT_BODY_BYTES} and state <> 'waiting' limit ${STEP}
    ) and state <> 'waiting'`.execute(db)
}

/** Returns ids of webhooks after one, in order; the first ones without it. */
export async function listWebhookIds(
  db: Db,
  after: string | undefined,
  limit: number,
): Promise<string[]> {
  const all = db.selectFrom('webhooks').select('id').orderBy('id').limit(limit)
  const rows = await (after === undefined ? all : all.where('id', '>', after)).execute()
  return rows.map(({ id }) => id)
}

async function findWebhook(db: Db, ref: WebhookRef): Promise<{ table_ref: number | null }> {
  const found = await selectWebhook(db, ref).executeTakeFirst()
  if (!found) throw webhookNotFound(ref.webhookId)
  return found
}

async function lockWebhook(trx: Trx, ref: WebhookRef): Promise<void> {
  const found = await selectWebhook(trx, ref).forUpdate().executeTakeFirst()
  if (!found) throw webhookNotFound(ref.webhookId)
}

function selectWebhook(db: Db, { docId, webhookId }: WebhookRef) {
  return db
    .selectFrom('webhooks')
    .select('table_ref')
    .where('id', '=', webhookId)
    .where('doc_id', '=', docId)
}

async function findDelivery(db: Db, ref: WebhookRef, id: string): Promise<ShownDelivery> {
  // PostgreSQL refuses NUL in a text.
  const found = id.includes('\0')
    ? undefined
    : await db
        .selectFrom('deliveries')
        .select(shown)
        .where('id', '=', id)
        .where('webhook_id', '=', ref.webhookId)
        .executeTakeFirst()
  if (!found) throw new AppError('not_found', 'DELIVERY_NOT_FOUND', 'Delivery not found')
  return found
}

async function requireRoom(trx: Trx, { webhookId }: WebhookRef): Promise<void> {
  const waiting = await trx
    .selectFrom('deliveries')
    .select('id')
    .where('webhook_id', '=', webhookId)
    .where('state', '=', 'waiting')
    .where('by_hand', '=', true)
    .limit(MAX_BY_HAND)
    .execute()
  if (waiting.length === MAX_BY_HAND)
    throw new AppError(
      'too_many',
      'TOO_MANY_DELIVERIES',
      `the queue already has ${MAX_BY_HAND} requested deliveries, retry later`,
      { retryAfterMs: '1000' },
    )
}

async function raiseWaiting(
  trx: Trx,
  { webhookId }: WebhookRef,
  events: number,
  bytes: number,
): Promise<void> {
  await trx
    .updateTable('webhooks')
    .set((eb) => ({
      waiting_count: eb('waiting_count', '+', events),
      waiting_bytes: eb('waiting_bytes', '+', bytes),
      due_at: sql`least(coalesce(due_at, now()), now())`,
    }))
    .where('id', '=', webhookId)
    .execute()
}
