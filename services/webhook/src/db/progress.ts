import { sql, type Kysely, type RawBuilder, type Transaction } from 'kysely'
import type { Definition, EventKind } from '../matching/definitions'
import type { WebhookSchema } from './schema'

type Db = Kysely<WebhookSchema>

/** A webhook as matching needs it. */
export interface StoredDefinition extends Definition {
  /** Seq after which entries concern it. */
  readonly afterSeq: number
  /** Seq for which its refs are valid. */
  readonly refsSeq: number
  readonly isEnabled: boolean
  /** Set when its queue was full: it receives no events of later entries. */
  readonly stoppedSeq: number | null
  readonly waitingCount: number
  readonly waitingBytes: number
  readonly partialSeq: number | null
  readonly partialRow: number | null
}

/** The matching progress of a document's log. */
export interface Progress {
  readonly handledSeq: number
  /** True while a retry after failures is pending. */
  readonly isPostponed: boolean
  /** When it is due, as text; null when nothing is pending. */
  readonly due: string | null
  readonly webhooks: readonly StoredDefinition[]
}

interface WebhookRow {
  readonly id: string
  readonly event_types: EventKind[]
  readonly table_ref: number | null
  readonly ready_ref: number | null
  readonly watched_refs: readonly (number | string)[]
  readonly enabled: boolean
  readonly after_seq: number
  readonly refs_seq: number
  readonly stopped_seq: number | null
  readonly waiting_count: number
  readonly waiting_bytes: number
  readonly partial_seq: number | null
  readonly partial_row: number | null
}

const columns = sql`w.id, w.event_types, w.table_ref, w.ready_ref, w.watched_refs, w.enabled, w.after_seq, w.refs_seq,
  w.stopped_seq, w.waiting_count, w.waiting_bytes, w.partial_seq, w.partial_row`

function toDefinition(row: WebhookRow): StoredDefinition {
  return {
    id: row.id,
    kinds: row.event_types,
    tableRef: row.table_ref,
    readyRef: row.ready_ref,
    watchedRefs: row.watched_refs.map(Number),
    afterSeq: row.after_seq,
    refsSeq: row.refs_seq,
    isEnabled: row.enabled,
    stoppedSeq: row.stopped_seq,
    waitingCount: row.waiting_count,
    waitingBytes: row.waiting_bytes,
    partialSeq: row.partial_seq,
    partialRow: row.partial_row,
  }
}

/** Returns the progress of a document, with its current webhooks; undefined without any. */
export async function readProgress(db: Db, docId: string): Promise<Progress | undefined> {
  type Row = { handled_seq: number; is_postponed: boolean; due: string | null } & {
    [K in keyof WebhookRow]: WebhookRow[K] | null
  }
  const { rows } = await sql<Row>`
    select d.handled_seq, d.failures > 0 and coalesce(d.due_at > now(), false) as is_postponed, d.due_at::text as due,
      ${columns}
    from documents d left join webhooks w on w.doc_id = d.doc_id
    where d.doc_id = ${docId} order by w.position`.execute(db)
  const [first] = rows
  if (!first) return undefined
  const webhooks = rows
    .filter(({ id }) => id !== null)
    .map((row) => toDefinition(row as WebhookRow))
  const { handled_seq: handledSeq, is_postponed: isPostponed, due } = first
  return { handledSeq, isPostponed, due, webhooks }
}

/** Locks a document's row until the end of the transaction; undefined without webhooks. */
export async function holdProgress(
  trx: Transaction<WebhookSchema>,
  docId: string,
): Promise<Pick<Progress, 'handledSeq' | 'webhooks'> | undefined> {
  const held = await trx
    .selectFrom('documents')
    .select('handled_seq')
    .where('doc_id', '=', docId)
    .forUpdate()
    .executeTakeFirst()
  if (!held) return undefined
  const { rows } = await sql<WebhookRow>`
    select ${columns} from webhooks w where doc_id = ${docId} order by position for update`.execute(
    trx,
  )
  return { handledSeq: held.handled_seq, webhooks: rows.map(toDefinition) }
}

/**
 * SQL: when a document is due after the work recorded by `due` is done; work recorded since remains pending.
 */
export const dueAfter = (due: string | null): RawBuilder<Date | null> =>
  sql<Date | null>`case when due_at::text is distinct from ${due} then due_at end`

/** Records that a document's log was read and held no more entries at the time of `due`. */
export async function markCaughtUp(db: Db, docId: string, due: string | null): Promise<void> {
  await db
    .updateTable('documents')
    .set({
      checked_at: sql`now()`,
      due_at: dueAfter(due),
      failures: sql`case when due_at::text is distinct from ${due} then failures else 0 end`,
    })
    .where('doc_id', '=', docId)
    .execute()
}

/** Records that a document's log has pending entries; an instance claims it soon. */
export async function defer(db: Db, docId: string): Promise<void> {
  await db
    .updateTable('documents')
    .set({ due_at: sql`now()` })
    .where('doc_id', '=', docId)
    .execute()
}

/** Longest time between retries, in seconds; the first is half to one second. */
const LAST_RETRY_S = 600

/** Records that matching a document has failed: it is retried with increasing delays. */
export async function postpone(db: Db, docId: string): Promise<void> {
  await sql`
    update documents set failures = failures + 1, due_at = now() + make_interval(
      secs => least(${LAST_RETRY_S}::double precision, 2 ^ least(failures, 20)) * (0.5 + random() / 2))
    where doc_id = ${docId}`.execute(db)
}

/** Returns all documents with webhooks. */
export async function listDocuments(db: Db): Promise<string[]> {
  const rows = await db.selectFrom('documents').select('doc_id').execute()
  return rows.map(({ doc_id }) => doc_id)
}

/** Returns documents whose first webhook was created within the last `seconds`. */
export async function listNewDocuments(db: Db, seconds: number): Promise<string[]> {
  const { rows } = await sql<{ doc_id: string }>`
    select doc_id from documents where created_at > now() - make_interval(secs => ${seconds}::double precision)`.execute(
    db,
  )
  return rows.map(({ doc_id }) => doc_id)
}

/** A log that has not been read for this long is read. */
const CHECK_AFTER_S = 600
/** A claim expires after this, for the case that its holder dies. */
const CLAIM_S = 60

/** Claims documents whose logs must be read, exclusively. */
export async function claimDue(db: Db, limit: number): Promise<string[]> {
  const claim = (which: ReturnType<typeof sql>) =>
    sql<{ doc_id: string }>`
      update documents set checked_at = now(), due_at = now() + make_interval(secs => ${CLAIM_S}::double precision)
      where doc_id in (
        select doc_id from documents where ${which} limit ${limit}::integer for update skip locked)
      returning doc_id`.execute(db)
  const due = await claim(sql`due_at <= now()`)
  const old = await claim(
    sql`checked_at < now() - make_interval(secs => ${CHECK_AFTER_S}::double precision)`,
  )
  return [...due.rows, ...old.rows].map(({ doc_id }) => doc_id)
}

/** Schedules reading the logs of all documents, gradually. */
export async function checkAll(db: Db): Promise<void> {
  await sql`update documents set checked_at = '-infinity'`.execute(db)
}

/** Name of the NATS consumer of all instances on this database. */
export async function readConsumerName(db: Db): Promise<string> {
  const { name } = await db.selectFrom('consumers').select('name').executeTakeFirstOrThrow()
  return name
}
