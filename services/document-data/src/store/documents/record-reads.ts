import type { ReadQuery } from '../../query/read-query'
import type { RowForm } from '../../query/row-form'
import type { Connection } from '../sqlite/connections'
import type { DocumentReader } from '../document'
import {
  countRoughly,
  extentOf,
  extentOfFound,
  findByIndex,
  isPage,
  narrowTo,
  planRead,
  type ReadPlan,
} from '../reads/read-plan'
import {
  callEnded,
  documentParts,
  readAtOnce,
  readInChunks,
  type ReadLimits,
} from '../reads/record-chunks'
import type { Schema, Table } from '../schema/schema'
import type { ThreadPlan } from '../workers/worker-messages'
import type { WorkerRead } from '../workers/worker-read'
import type { OpenDocument } from './open-document'

/** A snapshot that shows another form of the document than was planned for is taken again so many times. */
const ATTEMPTS = 3

/** What a read of records selects. */
export interface RecordsQuery {
  /** Table id, or its ref as decimal text. */
  readonly tableId: string
  /** How the rows are written. */
  readonly form: RowForm
  /** Shows the table in another form, with the same ids of columns; as it is when absent. */
  readonly shape?: (table: Table) => Table
  /** Builds the query once the table is known; the connection shows what is committed. */
  readonly build: (table: Table, connection: Connection) => ReadQuery
}

/** The answer of a read: a document in chunks, all of one moment; see `takeFacts` when the query has extras. */
export interface RecordsReply {
  /** Log position of that moment. */
  readonly seq: number
  /** Must be iterated, or returned, to its end. */
  readonly chunks: AsyncIterable<Buffer> | Iterable<Buffer>
}

/** A read that was looked at: the answer when it is small, else what there is to do. */
interface Prepared {
  readonly schema: Schema
  readonly seq: number
  readonly whole?: Buffer
  readonly plan: ReadPlan
  readonly heavy: boolean
  /** True when the plan names rows, so that it is good at this log position only. */
  readonly narrowed: boolean
}

/**
 * Reads records in the form that is asked for: a small read at once, a longer one piece by piece between other work, a heavy one in a thread
 * of its own.
 */
export function readRecords(
  doc: OpenDocument,
  query: RecordsQuery,
  limits: ReadLimits,
): RecordsReply | Promise<RecordsReply> {
  const prepared = doc.read((reader) => prepare(doc, reader, query))
  const { whole, seq } = prepared
  if (whole) return { seq, chunks: [whole] }
  return readLong(doc, query, limits, prepared)
}

async function readLong(
  doc: OpenDocument,
  query: RecordsQuery,
  limits: ReadLimits,
  first: Prepared,
): Promise<RecordsReply> {
  await doc.pool.admit()
  let prepared = first
  for (let attempt = 1; ; attempt++) {
    doc.requireOpen()
    if (limits.signal?.aborted) throw callEnded()
    if (isOutdated(prepared, doc)) prepared = doc.read((reader) => prepare(doc, reader, query))
    const { whole, seq, plan } = prepared
    if (whole) return { seq, chunks: [whole] }
    const read = attempt <= ATTEMPTS && prepared.heavy ? readInThread(doc, plan, limits) : undefined
    if (!read) return readHere(doc, (connection) => documentParts(connection, plan), limits)
    const begun = await read.begun
    // The thread took its snapshot by itself, perhaps of another form; where the log stands is exact in any case.
    if (prepared.schema === doc.state.schema) return { seq: begun, chunks: read.chunks() }
    read.fail(callEnded())
  }
}

function isOutdated({ schema, seq, narrowed }: Prepared, doc: OpenDocument): boolean {
  return schema !== doc.state.schema || (narrowed && seq !== doc.state.seq)
}

/** Begins a read in a thread; undefined when there are no threads. Throws `too_many` when too many run. */
export function readInThread(
  { workers, pool, path }: OpenDocument,
  plan: ThreadPlan,
  limits: ReadLimits,
): WorkerRead | undefined {
  if (!workers.available) return undefined
  let read: WorkerRead | undefined
  const leave = pool.enter((reason) => read?.fail(reason))
  try {
    return (read = workers.read(path, plan, limits, leave))
  } catch (error) {
    leave()
    throw error
  }
}

/** Reads piece by piece on the event loop. */
export function readHere(
  doc: OpenDocument,
  partsOf: (connection: Connection) => Iterator<Buffer | null, void>,
  limits: ReadLimits,
): RecordsReply {
  const loan = doc.pool.borrow()
  try {
    // The snapshot begins with the first read, here: nothing is written in between.
    loan.connection.prepare('BEGIN').run()
    loan.connection.pluck('SELECT max(seq) FROM _sheaf_log').get()
  } catch (error) {
    loan.release()
    throw error
  }
  return { seq: doc.state.seq, chunks: readInChunks(loan, partsOf(loan.connection), limits) }
}

function prepare(doc: OpenDocument, reader: DocumentReader, query: RecordsQuery): Prepared {
  const { connection, schema, seq } = reader
  const found = schema.getReadable(query.tableId)
  const table = query.shape?.(found) ?? found
  const built = query.build(table, connection)
  const plan = planRead(table, built, query.form)
  const rows = isPage(plan) ? 0 : countRoughly(connection, plan)
  const extent = extentOf(plan, rows)
  if (extent === 'small') {
    const whole = doc.replies.get(plan, () => readAtOnce(connection, plan))
    return { schema, seq, plan, heavy: false, narrowed: false, whole }
  }
  const ids = built.byColumn.size > 0 ? find(doc, { connection, table, plan, built, rows }) : null
  if (!ids) return { schema, seq, plan, heavy: extent === 'heavy', narrowed: false }
  const narrow = narrowTo(plan, ids)
  const whole = extentOfFound(ids.length) === 'small' ? readAtOnce(connection, narrow) : undefined
  return { schema, seq, plan: narrow, heavy: false, narrowed: true, whole }
}

interface Search {
  readonly connection: Connection
  readonly table: Table
  readonly plan: ReadPlan
  readonly built: ReadQuery
  readonly rows: number
}

/** Ids of the rows that may pass the filter, by the index that finds fewest; undefined when none is of use. */
function find(doc: OpenDocument, search: Search): number[] | undefined {
  const { connection, table, plan, built, rows } = search
  let best: number[] | undefined
  for (const [columnId, condition] of built.byColumn) {
    const ref = table.byId.get(columnId)?.ref ?? 0
    if (columnId !== 'id' && !doc.indexes.has(table, ref)) continue
    const ids = findByIndex(connection, plan, condition)
    if (!ids) continue
    doc.indexes.used(table, ref, rows)
    if (!best || ids.length < best.length) best = ids
  }
  if (!best) noteScan(doc, search)
  return best
}

/** Counts a filter that no index helps, and begins to build one when there were enough of them. */
function noteScan(doc: OpenDocument, { connection, table, built, rows }: Search): void {
  for (const [columnId, condition] of built.byColumn) {
    const column = table.byId.get(columnId)
    if (!column || column.ref === 0 || doc.indexes.has(table, column.ref)) continue
    if (!doc.indexes.scanned(table, column.ref, rows)) continue
    const step = doc.indexes.buildStep(connection, table, column, condition)
    if (step) doc.upkeep.improve(step)
  }
}
