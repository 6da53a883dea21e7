import { randomUUID } from 'node:crypto'
import { sql, type Selectable, type Transaction } from 'kysely'
import { countBatch } from './batch-size'
import type { EventKind, WebhookSchema } from './schema'

type Trx = Transaction<WebhookSchema>

/** A stored delivery. */
export type StoredDelivery = Selectable<WebhookSchema['deliveries']>
/** A queued delivery, with its body. */
export type WaitingDelivery = StoredDelivery & { readonly body: string }

/** Enough for the largest batch, and one more to detect its end. */
const HEADS = 101

/** Creates a delivery id. */
export function newDeliveryId(): string {
  return `msg_${randomUUID().replaceAll('-', '')}`
}

/**
 * Returns the next delivery: a manual one first, then, unless `byHandAlone`, a failed one, then a batch of
 * queued events, which is stored so that every attempt sends the same. The transaction holds the webhook.
 */
export async function takeNext(
  trx: Trx,
  webhookId: string,
  byHandAlone: boolean,
): Promise<WaitingDelivery | undefined> {
  const waiting = trx
    .selectFrom('deliveries')
    .selectAll()
    .where('webhook_id', '=', webhookId)
    .where('state', '=', 'waiting')
    .where('body', 'is not', null)
    .orderBy('by_hand', 'desc')
    .orderBy('position')
    .limit(1)
  const found = await (
    byHandAlone ? waiting.where('by_hand', '=', true) : waiting
  ).executeTakeFirst()
  const next = found ?? (byHandAlone ? undefined : await makeBatch(trx, webhookId))
  return next as WaitingDelivery | undefined
}

interface Head {
  readonly seq: number
  readonly row_number: number
  readonly kind: EventKind
  readonly bytes: number
  readonly traceparent: string
}

/** Combines the first events into one delivery. */
async function makeBatch(trx: Trx, webhookId: string): Promise<StoredDelivery | undefined> {
  const { rows: heads } = await sql<Head>`
    select seq, row_number, kind, octet_length(body) as bytes, traceparent from events
    where webhook_id = ${webhookId} order by seq, row_number limit ${HEADS}`.execute(trx)
  const batch = heads.slice(0, countBatch(heads))
  const last = batch.at(-1)
  if (!last) return undefined
  const kinds = [...new Set(batch.map(({ kind }) => kind))].sort().join(',')
  const traces = [...new Set(batch.map(({ traceparent }) => traceparent))].filter(Boolean).join(' ')
  const { rows } = await sql<StoredDelivery>`
    with taken as (
      delete from events
      where webhook_id = ${webhookId} and (seq, row_number) <= (${last.seq}, ${last.row_number})
      returning seq, row_number, time_ms, body
    ), whole as (
      select count(*) as size, min(seq) as first_seq, max(seq) as last_seq, min(time_ms) as time_ms,
        '[' || string_agg(body, ',' order by seq, row_number) || ']' as body
      from taken
    )
    insert into deliveries
      (id, webhook_id, size, kinds, first_seq, last_seq, time_ms, body, body_bytes, traceparent)
    select ${newDeliveryId()}, ${webhookId}, size, ${kinds}, first_seq, last_seq, time_ms, body,
      octet_length(body), ${traces}
    from whole returning *`.execute(trx)
  return rows[0]
}

/** Returns the bytes of a delivery's events, without the rest of its body. */
export function countEventBytes({
  body_bytes,
  size,
}: Pick<StoredDelivery, 'body_bytes' | 'size'>): number {
  return Math.max(0, body_bytes - size - 1)
}
