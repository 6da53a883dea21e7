import { sql } from 'kysely'
import { AppError } from '@sheaf/kit/errors'
import type { LogTablesDb } from './schema'
import { encodeByteArrays, type StoredRecord } from './append-statement'

/** A snapshot of a document in the store. */
export interface SnapshotMark {
  /** Its name in the store. */
  readonly name: string
  /** Position and term of the last record that it holds. */
  readonly lsn: number
  readonly term: number
}

/** A new document: its first records, or the snapshot that it begins with. */
export interface NewHead {
  readonly doc: string
  /** Name of the instance that creates it. */
  readonly instance: string
  readonly records: readonly StoredRecord[]
  /** Format of its file. */
  readonly format: number
  readonly snapshot?: SnapshotMark
}

/** What an opening of a document finds. */
export interface OpenedHead {
  /** The term that it raised: records of any earlier one are not accepted any more. */
  readonly term: number
  /** Position of the latest record. */
  readonly lsn: number
  /** True when the log may have entries that NATS has not confirmed. */
  readonly unpublished: boolean
  /** True when formulas may still have to compute cells. */
  readonly pending: boolean
  /** Format of its file after the latest record; 0 when that was never recorded. */
  readonly format: number
  /** True for a document that is on the disk of its instance alone. */
  readonly local: boolean
  readonly snapshot?: SnapshotMark
}

/** A record of the log. */
export interface LoggedRecord extends StoredRecord {
  readonly term: number
}

/**
 * Term of what a document begins its log with. Nobody appends with it, so a file whose last record has it holds nothing
 * that an opening has added.
 */
export const FIRST_TERM = -1

const NO_SNAPSHOT = { name: null, lsn: null, term: null }

/**
 * Begins the log of a document, with records of the first term. Throws `conflict` when there is one,
 * `precondition` when the document was deleted.
 */
export async function createHead(db: LogTablesDb, head: NewHead): Promise<void> {
  const { doc, instance, records, format, snapshot = NO_SNAPSHOT } = head
  const lsn = records.at(-1)?.lsn ?? snapshot.lsn
  const positions = records.map((record) => record.lsn)
  const bodies = encodeByteArrays(records.map(({ body }) => body))
  const { rows } = await sql`
    with h as (
      insert into head (doc, instance, lsn, unpublished, pending, format, snapshot, snapshot_lsn, snapshot_term)
      values (${doc}, ${instance}, ${lsn}, true, ${snapshot.name !== null}, ${format}, ${snapshot.name}, ${snapshot.lsn}, ${snapshot.term})
      on conflict (doc) do nothing returning doc
    ), i as (
      insert into record (doc, lsn, term, body)
      select h.doc, e.lsn, ${FIRST_TERM}::int8, e.body from h, unnest(${positions}::int8[], ${bodies}::bytea[]) e(lsn, body)
    )
    select doc from h`.execute(db)
  if (rows.length > 0) return
  const known = await findHead(db, doc)
  if (known?.deleted) throw deleted()
  throw new AppError('conflict', 'DOCUMENT_EXISTS', 'the document already exists')
}

/** Who opens a document. */
export interface Opener {
  /** Name of the instance. */
  readonly instance: string
  /** Number of the assignment of the document to it. */
  readonly assigned: number
  /** Oldest and newest format that it can use; it can use every document whose format was never recorded. */
  readonly formats: { readonly min: number; readonly max: number }
}

/**
 * Opens a document: raises its term, so that no earlier opening can append any more, nor a statement that is still under
 * way.
 * @throws AppError `not_found` without a log, `precondition` when the document was deleted, `unavailable` when it
 * was opened under a later assignment, has a format that the instance cannot use (`details.format`), or is on the disk of
 * another instance alone (`details.localHome`, with the term in `details.term`)
 */
export async function openHead(
  db: LogTablesDb,
  doc: string,
  { instance, assigned, formats: { min, max } }: Opener,
): Promise<OpenedHead> {
  const opened = await db
    .updateTable('head')
    .set((eb) => ({ assigned, instance, term: eb('term', '+', 1) }))
    .where('doc', '=', doc)
    .where('assigned', '<=', assigned)
    .where('deleted', '=', false)
    .where((eb) => eb.or([eb('local', '=', false), eb('instance', '=', instance)]))
    .where((eb) => eb.or([eb('format', '=', 0), eb.between('format', min, max)]))
    .returning([
      'term',
      'format',
      'lsn',
      'unpublished',
      'pending',
      'local',
      'snapshot',
      'snapshot_lsn',
      'snapshot_term',
    ])
    .executeTakeFirst()
  if (opened) {
    const { term, lsn, unpublished, pending, format, local } = opened
    return { term, lsn, unpublished, pending, format, local, snapshot: markOf(opened) }
  }
  const known = await findHead(db, doc)
  if (!known) throw new AppError('not_found', 'DOCUMENT_NOT_FOUND', 'document not found')
  if (known.deleted) throw deleted()
  if (known.local && known.instance !== instance) throw elsewhere(known)
  const { format } = known
  if (format !== 0 && (format < min || format > max)) throw unreadable(format)
  throw new AppError(
    'unavailable',
    'DOCUMENT_MOVED',
    'the document was opened elsewhere, retry later',
    {
      retryAfterMs: '1000',
    },
  )
}

/** A snapshot as the row of its document has it. */
export interface StoredMark {
  readonly snapshot: string | null
  readonly snapshot_lsn: number | null
  readonly snapshot_term: number | null
}

/** The snapshot that a row names, if any. */
export function markOf({
  snapshot: name,
  snapshot_lsn: lsn,
  snapshot_term: term,
}: StoredMark): SnapshotMark | undefined {
  if (name === null || lsn === null || term === null) return undefined
  return { name, lsn, term }
}

/**
 * Stores that a document without a log is on the disk of an instance alone, if nothing is known of it: so its openings have
 * terms as well.
 */
export async function createLocalHead(
  db: LogTablesDb,
  doc: string,
  { instance, assigned }: Opener,
): Promise<void> {
  await db
    .insertInto('head')
    .values({ doc, instance, assigned, lsn: 0, unpublished: false, local: true })
    .onConflict((conflict) => conflict.column('doc').doNothing())
    .execute()
}

/**
 * Begins the log of a document that was on the disk of its instance alone with a snapshot, as `createHead` does. Returns
 * false, and changes nothing, when a later opening has raised the term.
 */
export async function adoptHead(
  db: LogTablesDb,
  { doc, term, format }: { readonly doc: string; readonly term: number; readonly format: number },
  snapshot: SnapshotMark,
): Promise<boolean> {
  const adopted = await db
    .updateTable('head')
    .set({
      local: false,
      format,
      lsn: snapshot.lsn,
      unpublished: true,
      pending: true,
      snapshot: snapshot.name,
      snapshot_lsn: snapshot.lsn,
      snapshot_term: snapshot.term,
    })
    .where('doc', '=', doc)
    .where('term', '=', term)
    .where('local', '=', true)
    .where('deleted', '=', false)
    .returning('doc')
    .executeTakeFirst()
  return adopted !== undefined
}

/**
 * Ends the log of a document, which ends with this record: the document is on the disk of the instance that has opened it alone
 * from then on. Raises the term. Returns false, and changes nothing, when a later opening has raised it, or the log goes on.
 */
export async function releaseHead(
  db: LogTablesDb,
  { doc, term, lsn }: { readonly doc: string; readonly term: number; readonly lsn: number },
): Promise<boolean> {
  const { rows } = await sql`
    with h as (
      update head set local = true, term = term + 1, lsn = 0, unpublished = false, pending = false, format = 0,
        snapshot = null, snapshot_lsn = null, snapshot_term = null
      where doc = ${doc} and term = ${term} and lsn = ${lsn} and not local and not deleted returning doc
    ), r as (
      delete from record using h where record.doc = h.doc
    )
    select doc from h`.execute(db)
  return rows.length > 0
}

/** The latest snapshot of a document; undefined when it has none, or there is no such document. */
export async function findSnapshot(
  db: LogTablesDb,
  doc: string,
): Promise<SnapshotMark | undefined> {
  const found = await db
    .selectFrom('head')
    .select(['snapshot', 'snapshot_lsn', 'snapshot_term'])
    .where('doc', '=', doc)
    .executeTakeFirst()
  return found && markOf(found)
}

/**
 * Position of the latest record of a document; undefined when it was deleted, is on the disk of its instance alone, or there
 * is no such document.
 */
export async function findPosition(db: LogTablesDb, doc: string): Promise<number | undefined> {
  const found = await db
    .selectFrom('head')
    .select('lsn')
    .where('doc', '=', doc)
    .where('local', '=', false)
    .where('deleted', '=', false)
    .executeTakeFirst()
  return found?.lsn
}

/** Of these documents, those that have a log. */
export async function listLogged(db: LogTablesDb, docs: readonly string[]): Promise<string[]> {
  const rows = await db
    .selectFrom('head')
    .select('doc')
    .where('doc', '=', sql<string>`any(${docs}::uuid[])`)
    .where('local', '=', false)
    .where('deleted', '=', false)
    .execute()
  return rows.map(({ doc }) => doc)
}

/** Removes every trace of a document that was never announced; a deleted one stays deleted. */
export async function discardHead(db: LogTablesDb, doc: string): Promise<void> {
  await sql`
    with h as (delete from head where doc = ${doc} and not deleted returning doc)
    delete from record r using h where r.doc = h.doc`.execute(db)
}

/** The term of a record; undefined when the log does not have it. */
export async function findRecordTerm(
  db: LogTablesDb,
  doc: string,
  lsn: number,
): Promise<number | undefined> {
  const found = await db
    .selectFrom('record')
    .select('term')
    .where('doc', '=', doc)
    .where('lsn', '=', lsn)
    .executeTakeFirst()
  return found?.term
}

const STEP = { records: 500, bytes: 4 * 1024 * 1024 }

/** The records of a document after this position, in order, as many as fit into about 4 MiB; at least one if there is any. */
export async function readRecords(
  db: LogTablesDb,
  doc: string,
  after: number,
): Promise<LoggedRecord[]> {
  const { rows } = await sql<LoggedRecord>`
    select lsn, term, body from (
      select lsn, term, body, sum(octet_length(body)) over (order by lsn) - octet_length(body) as before
      from (
        select * from record where doc = ${doc} and lsn > ${after} order by lsn limit ${STEP.records}
      ) next
    ) summed where before < ${STEP.bytes} order by lsn`.execute(db)
  return rows
}

/**
 * Documents that these instances opened last and that are to be continued without a request: their logs may have entries
 * that NATS has not confirmed, or formulas may still have to compute cells.
 */
export async function listUnfinished(
  db: LogTablesDb,
  instances: readonly string[],
): Promise<{ readonly docId: string; readonly unpublished: boolean; readonly pending: boolean }[]> {
  return db
    .selectFrom('head')
    .select(['doc as docId', 'unpublished', 'pending'])
    .where('instance', 'in', instances)
    .where((eb) => eb.or([eb('unpublished', '=', true), eb('pending', '=', true)]))
    .where('deleted', '=', false)
    .execute()
}

/**
 * Stores that the store has a snapshot of a document, and removes the records that only the snapshot needs from now
 * on, except for its last one. Returns false when a later opening has raised the term.
 */
export async function markSnapshot(
  db: LogTablesDb,
  { doc, term }: { readonly doc: string; readonly term: number },
  snapshot: SnapshotMark,
): Promise<boolean> {
  const { rows } = await sql`
    update head set snapshot = ${snapshot.name}, snapshot_lsn = ${snapshot.lsn}, snapshot_term = ${snapshot.term}
    where doc = ${doc} and term = ${term} and not deleted and coalesce(snapshot_lsn, 0) <= ${snapshot.lsn}
    returning doc`.execute(db)
  if (rows.length === 0) return false
  await db.deleteFrom('record').where('doc', '=', doc).where('lsn', '<', snapshot.lsn).execute()
  return true
}

/**
 * Appends the record of a migration, after which the file of the document has another format. Returns false when the term or
 * the position is another, and then has no effect.
 */
export async function appendFormat(
  db: LogTablesDb,
  { doc, term }: { readonly doc: string; readonly term: number },
  { lsn, body, format }: StoredRecord & { readonly format: number },
): Promise<boolean> {
  const { rows } = await sql`
    with m as (
      update head set lsn = ${lsn}, format = ${format}
      where doc = ${doc} and term = ${term} and lsn = ${lsn - 1} and not deleted returning doc, term
    ), i as (
      insert into record (doc, lsn, term, body) select doc, ${lsn}, term, ${Buffer.from(body)}::bytea from m
    )
    select doc from m`.execute(db)
  return rows.length > 0
}

function findHead(db: LogTablesDb, doc: string) {
  return db
    .selectFrom('head')
    .select(['deleted', 'format', 'local', 'instance', 'term'])
    .where('doc', '=', doc)
    .executeTakeFirst()
}

function unreadable(format: number): AppError {
  return new AppError(
    'unavailable',
    'DOCUMENT_FORMAT_UNREADABLE',
    'the document has a format that this instance cannot read, retry later',
    { retryAfterMs: '1000', format: String(format) },
  )
}

function elsewhere({
  instance: localHome,
  term,
}: {
  readonly instance: string
  readonly term: number
}): AppError {
  return new AppError(
    'unavailable',
    'DOCUMENT_MOVED',
    'the document is on the disk of another instance, retry later',
    { retryAfterMs: '1000', localHome, term: String(term) },
  )
}

function deleted(): AppError {
  return new AppError('precondition', 'DOCUMENT_DELETED', 'the document was deleted')
}
