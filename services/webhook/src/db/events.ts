import { transact } from '@sheaf/kit/postgres/database'
import { sql, type Kysely, type Transaction } from 'kysely'
import type { Definition } from '../matching/definitions'
import type { MatchedEvent } from '../matching/match'
import { dueAfter, holdProgress, type Progress, type StoredDefinition } from './progress'
import type { WebhookSchema } from './schema'

type Trx = Transaction<WebhookSchema>

/** Limits of the queue of one webhook. */
export interface QueueLimits {
  readonly events: number
  readonly bytes: number
}

/** The events of one log entry, or of a piece of a large one. */
export interface MatchedEntry {
  readonly seq: number
  readonly timeMs: number
  readonly traceparent: string
  readonly events: readonly MatchedEvent[]
}

/** The events of several entries, and the definitions after them. */
export interface MatchedEntries {
  readonly entries: readonly MatchedEntry[]
  readonly definitions: readonly Definition[]
}

/** A step through the log of a document. */
export interface QueueStep {
  readonly docId: string
  /** Seq that must be the current progress, exactly. */
  readonly assumedSeq: number
  /** Seq of the last entry that this step handles. */
  readonly handledSeq: number
  /** True when the last entry continues after this step. */
  readonly isPartial: boolean
  /** Set at the end of the log: work recorded as pending by then is done. */
  readonly end?: Pick<Progress, 'due'>
  readonly limits: QueueLimits
}

/**
 * The outcome of a step. `moved`: the progress differs, or the entries lack data that the current webhooks
 * need; nothing was done. `gone`: the document has no webhooks any more.
 */
export type StepOutcome = 'queued' | 'nothing' | 'moved' | 'gone'

/** `stopped_reason` of a webhook whose queue is full. */
export const QUEUE_FULL = 'the queue is full'

/**
 * Queues the events of entries and records the progress, atomically. `match` matches the entries with the
 * current webhooks; undefined when it cannot. A webhook whose queue is full receives no more events and
 * reports that; its queued events remain.
 */
export function queueEntries(
  db: Kysely<WebhookSchema>,
  step: QueueStep,
  match: (webhooks: readonly StoredDefinition[]) => MatchedEntries | undefined,
): Promise<StepOutcome> {
  return transact(db, async (trx) => {
    const held = await holdProgress(trx, step.docId)
    if (!held) return 'gone'
    if (held.handledSeq !== step.assumedSeq) return 'moved'
    const matched = match(held.webhooks)
    if (!matched) return 'moved'
    const taken = held.webhooks.map((webhook) => takeEvents(webhook, matched.entries, step))
    const count = await insertEvents(
      trx,
      taken.flatMap(({ events }) => events),
    )
    for (const [i, webhook] of held.webhooks.entries())
      await noteChanges(trx, webhook, matched.definitions[i], taken[i])
    await trx
      .updateTable('documents')
      .set({
        handled_seq: step.handledSeq,
        checked_at: sql`now()`,
        failures: 0,
        ...(step.end && { due_at: dueAfter(step.end.due) }),
      })
      .where('doc_id', '=', step.docId)
      .execute()
    return count > 0 ? 'queued' : 'nothing'
  })
}

/** An event with the facts of its entry. */
export type NewEvent = MatchedEvent & Omit<MatchedEntry, 'events'>

interface Taken {
  readonly events: readonly NewEvent[]
  /** Set when a queue was full: the last entry whose events were queued. */
  readonly stoppedSeq?: number
  /** Set in the middle of a large entry. */
  readonly partial?: { readonly seq: number; readonly row: number }
}

/** Selects the events that fit into a webhook's queue: entry by entry, until one does not fit. */
function takeEvents(
  webhook: StoredDefinition,
  entries: readonly MatchedEntry[],
  { limits, isPartial }: QueueStep,
): Taken {
  const taken: NewEvent[] = []
  let count = webhook.waitingCount
  let bytes = webhook.waitingBytes
  let partial: Taken['partial']
  for (const { events, ...entry } of entries) {
    const { seq } = entry
    const skipUpTo = webhook.partialSeq === seq ? (webhook.partialRow ?? -1) : -1
    const own = events.filter(
      ({ webhookId, rowNumber }) => webhookId === webhook.id && rowNumber > skipUpTo,
    )
    count += own.length
    for (const { body } of own) bytes += Buffer.byteLength(body)
    if (own.length > 0 && (count > limits.events || bytes > limits.bytes))
      return { events: taken, stoppedSeq: seq - 1 }
    for (const event of own) taken.push({ ...event, ...entry })
    const last = own.at(-1)
    if (isPartial && last) partial = { seq, row: last.rowNumber }
  }
  return { events: taken, partial }
}

/** Inserts events that do not exist yet; returns their number. Their webhooks become due. */
export async function insertEvents(trx: Trx, events: readonly NewEvent[]): Promise<number> {
  let count = 0
  for (const some of inStatements(events)) count += await insertSome(trx, some)
  return count
}

/** Bytes of bodies in one statement: the rows of an entry are repeated for each of up to 200 webhooks. */
const STATEMENT_BYTES = 8 * 1024 * 1024

/** Splits events into lists that fit into one statement. */
export function* inStatements<T extends Pick<NewEvent, 'body'>>(
  events: readonly T[],
): Generator<readonly T[]> {
  let bytes = 0
  let from = 0
  for (const [i, { body }] of events.entries()) {
    const size = Buffer.byteLength(body)
    if (i > from && bytes + size > STATEMENT_BYTES) {
      yield events.slice(from, i)
      from = i
      bytes = 0
    }
    bytes += size
  }
  if (from < events.length) yield events.slice(from)
}

async function insertSome(trx: Trx, events: readonly NewEvent[]): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    with added as (
      insert into events (webhook_id, seq, row_number, kind, time_ms, traceparent, body)
      select * from unnest(
        ${events.map(({ webhookId }) => webhookId)}::uuid[],
        ${events.map(({ seq }) => seq)}::bigint[],
        ${events.map(({ rowNumber }) => rowNumber)}::integer[],
        ${events.map(({ kind }) => kind)}::text[],
        ${events.map(({ timeMs }) => timeMs)}::bigint[],
        ${events.map(({ traceparent }) => traceparent)}::text[],
        ${events.map(({ body }) => body)}::text[])
      on conflict do nothing
      returning webhook_id, octet_length(body) as bytes
    ), sums as (
      select webhook_id, count(*) as count, sum(bytes)::bigint as bytes from added group by webhook_id
    )
    update webhooks w set waiting_count = waiting_count + s.count, waiting_bytes = waiting_bytes + s.bytes,
      due_at = coalesce(due_at, now()), updated_at = now()
    from sums s where w.id = s.webhook_id
    returning s.count`.execute(trx)
  return rows.reduce((sum, { count }) => sum + count, 0)
}

async function noteChanges(
  trx: Trx,
  before: StoredDefinition,
  after: Definition = before,
  { stoppedSeq, partial }: Taken = { events: [] },
): Promise<void> {
  const hasMoved =
    before.tableRef !== after.tableRef ||
    before.readyRef !== after.readyRef ||
    before.watchedRefs.length !== after.watchedRefs.length
  if (!hasMoved && stoppedSeq === undefined && !partial) return
  await trx
    .updateTable('webhooks')
    .set({
      ...(hasMoved && {
        table_ref: after.tableRef,
        ready_ref: after.readyRef,
        watched_refs: [...after.watchedRefs],
      }),
      ...(stoppedSeq !== undefined && {
        stopped_reason: sql<string>`coalesce(stopped_reason, ${QUEUE_FULL})`,
        stopped_seq: stoppedSeq,
        status: 'error' as const,
        last_error: QUEUE_FULL,
        updated_at: sql<Date>`now()`,
      }),
      ...(partial && { partial_seq: partial.seq, partial_row: partial.row }),
    })
    .where('id', '=', before.id)
    .execute()
}

/** Skips entries that the log no longer contains, and reports that at the affected webhooks. */
export function skipLost(
  db: Kysely<WebhookSchema>,
  docId: string,
  { assumed, seq }: { assumed: number; seq: number },
): Promise<void> {
  return transact(db, async (trx) => {
    const held = await holdProgress(trx, docId)
    if (held?.handledSeq !== assumed || seq <= assumed) return
    await trx
      .updateTable('webhooks')
      .set({
        last_error: `changes ${assumed + 1} to ${seq} were missed: the change log no longer contains them`,
        updated_at: sql`now()`,
      })
      .where('doc_id', '=', docId)
      .where('enabled', '=', true)
      .where('after_seq', '<', seq)
      .execute()
    await trx
      .updateTable('documents')
      .set({ handled_seq: seq, checked_at: sql`now()` })
      .where('doc_id', '=', docId)
      .execute()
  })
}
