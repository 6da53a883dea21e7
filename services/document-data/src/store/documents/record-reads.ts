import type { ReadQuery } from '../../query/read-query'
import type { RowForm } from '../../query/row-form'
import type { Connection } from '../sqlite/connections'
import type { DocumentReader } from '../document'
import { readKeptPage, type KeptOrder } from '../indexes/kept-orders'
import {
  countRoughly,
  extentOf,
  extentOfFound,
  findByIndex,
  isPage,
  narrowTo,
  planRead,
  takesAll,
  type ReadPlan,
} from '../reads/read-plan'
import { documentParts, readAtOnce, type ReadLimits } from '../reads/record-chunks'
import type { Schema, Table } from '../schema/schema'
import { readLong, type ChunkedReply } from './long-read'
import type { OpenDocument } from './open-document'
import { isWhole } from './read-cache'

/** On whose behalf a read runs. */
export type ReadCaller = Partial<Pick<ReadLimits, 'signal' | 'userId'>>

/** The limits of a caller's reads. The signal is left until a read needs it: a call creates it on first use. */
export class CallerLimits implements ReadLimits {
  constructor(
    private readonly caller: ReadCaller,
    readonly maxAgeMs: number,
  ) {}

  get signal(): ReadLimits['signal'] {
    return this.caller.signal
  }

  get userId(): number | undefined {
    return this.caller.userId
  }
}

/** What a query is built from, besides its table. */
export type QueryReader = Pick<DocumentReader, 'connection' | 'schema'>

/** What a read of records selects. */
export interface RecordsQuery {
  /** Table id, or its ref as decimal text. */
  readonly tableId: string
  /** The form of the rows. */
  readonly form: RowForm
  /** Shows the table in another form, with the same column ids; unchanged when absent. */
  readonly shape?: (table: Table) => Table
  /** Builds the query once the table is known; the reader shows the committed state. */
  readonly build: (table: Table, reader: QueryReader) => ReadQuery
}

/** The records as one document; see `takeFacts` when the query has extras. */
export interface RecordsReply extends ChunkedReply {
  /** Must be called with the number of rows, once it was counted. */
  readonly onCounted?: (total: number) => void
}

/** A planned read: the result when it is small, else the plan. */
interface Prepared {
  readonly schema: Schema
  readonly seq: number
  readonly whole?: Buffer
  readonly plan: ReadPlan
  readonly heavy: boolean
  /** True when the plan names rows, which makes it valid at this log position only. */
  readonly narrowed: boolean
  /** The table whose rows are all counted by the read, if any. */
  readonly countedRef?: number
}

/**
 * Reads records in the requested form: a small read at once, a longer one piece by piece between other work,
 * a heavy one in a thread.
 */
export function readRecords(
  doc: OpenDocument,
  query: RecordsQuery,
  limits: ReadLimits,
): RecordsReply | Promise<RecordsReply> {
  const prepared = doc.read((reader) => prepare(doc, reader, query))
  const { whole, seq } = prepared
  if (whole) return wholeReply(doc, limits, seq, whole)
  return readManyRecords(doc, query, limits, prepared)
}

function wholeReply(
  { replyRoom }: OpenDocument,
  limits: ReadLimits,
  seq: number,
  whole: Buffer,
): RecordsReply {
  return { seq, chunks: [whole], release: replyRoom.hold(limits, whole) }
}

async function readManyRecords(
  doc: OpenDocument,
  query: RecordsQuery,
  limits: ReadLimits,
  first: Prepared,
): Promise<RecordsReply> {
  let prepared = first
  const reply = await readLong(doc, limits, () => {
    if (isOutdated(prepared, doc)) prepared = doc.read((reader) => prepare(doc, reader, query))
    const { whole, seq, plan, heavy, schema } = prepared
    if (whole) return wholeReply(doc, limits, seq, whole)
    const parts = (connection: Connection) => documentParts(connection, plan)
    return { inThread: heavy ? plan : undefined, parts, schema }
  })
  const { countedRef } = prepared
  if (countedRef === undefined) return reply
  return { ...reply, onCounted: (total) => doc.replies.counts.learn(countedRef, reply.seq, total) }
}

function isOutdated({ schema, seq, narrowed, plan }: Prepared, doc: OpenDocument): boolean {
  const isOfOneMoment = narrowed || plan.extras?.total !== undefined
  return schema !== doc.state.schema || (isOfOneMoment && seq !== doc.state.seq)
}

function prepare(doc: OpenDocument, reader: DocumentReader, query: RecordsQuery): Prepared {
  const { connection, schema, seq } = reader
  const found = schema.getReadable(query.tableId)
  const table = query.shape?.(found) ?? found
  const built = query.build(table, reader)
  const { plan, countedRef } = planCounted(doc, { table, built, form: query.form })
  const rows = isPage(plan) ? 0 : countRoughly(connection, plan)
  const extent = extentOf(plan, rows)
  if (extent === 'small') {
    // Few rows may be long: undefined then.
    const whole = doc.replies.get(plan, () => readAtOnce(connection, plan))
    return { schema, seq, plan, heavy: false, narrowed: false, whole }
  }
  const search = { connection, table, plan, built, rows }
  const kept = findKept(doc, search)
  const ids = kept ? nearPage(connection, kept, plan) : find(doc, search)
  if (!ids) {
    const heavy = extent === 'heavy'
    return {
      schema,
      seq,
      plan: kept ? { ...plan, kept } : plan,
      heavy,
      narrowed: false,
      countedRef,
    }
  }
  // The page is found by its order, or all rows that pass the filter.
  const narrow = narrowTo(kept ? { ...plan, offset: 0 } : plan, ids)
  const reply = extentOfFound(ids.length) === 'small' ? readAtOnce(connection, narrow) : undefined
  const whole = reply && isWhole(reply) ? reply : undefined
  return { schema, seq, plan: narrow, heavy: false, narrowed: true, whole }
}

interface Wanted {
  readonly table: Table
  readonly built: ReadQuery
  readonly form: RowForm
}

/** Plans a read. A page of a table in its own order needs no count if the number of rows is known. */
function planCounted(
  { replies }: OpenDocument,
  { table, built, form }: Wanted,
): Pick<Prepared, 'plan' | 'countedRef'> {
  const plan = planRead(table, built, form)
  const { extras } = plan
  if (!extras?.counted || !takesAll(plan) || table.ref === 0) return { plan }
  const total = replies.counts.get(table.ref)
  const known = { ...plan, extras: { ...extras, counted: false, total } }
  const planned = total !== undefined && isPage(known) ? known : plan
  return { plan: planned, countedRef: table.ref }
}

interface Search {
  readonly connection: Connection
  readonly table: Table
  readonly plan: ReadPlan
  readonly built: ReadQuery
  readonly rows: number
}

/** Ids of the rows that may pass the filter, by the most selective index; undefined when no index helps. */
function find(doc: OpenDocument, search: Search): number[] | undefined {
  const { connection, table, plan, built, rows } = search
  if (built.byColumn.size === 0) return undefined
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

/** Counts a filter that no index serves, and starts to build an index when one is due. */
function noteScan(doc: OpenDocument, { connection, table, built, rows }: Search): void {
  for (const [columnId, condition] of built.byColumn) {
    const column = table.byId.get(columnId)
    if (!column || column.ref === 0 || doc.indexes.has(table, column.ref)) continue
    if (!doc.indexes.scanned(table, column.ref, rows)) continue
    const step = doc.indexes.buildStep(connection, table, column, condition)
    if (step) doc.maintenance.improve(step)
  }
}

/** Rows of the pages, and rows skipped on the event loop, at most that kept orders serve. */
const MAX_KEPT_PAGE = 10_000

/**
 * The kept order in which a page is read; undefined when none serves it. Counts the sort, and starts to keep the order when that
 * is due.
 */
function findKept(doc: OpenDocument, search: Search): KeptOrder | undefined {
  const { connection, table, plan, built, rows } = search
  const { inRanges, limit } = plan
  const isPage = !inRanges && limit > 0 && limit <= MAX_KEPT_PAGE && takesAll(plan)
  if (!isPage || table.ref === 0) return undefined
  const kept = doc.indexes.findOrder(table, built.order)
  if (kept) {
    doc.indexes.usedOrder(kept, rows)
    return kept
  }
  const step = doc.indexes.sorted(connection, table, built.order, rows)
  if (step) doc.maintenance.improve(step)
  return undefined
}

/**
 * Ids of the rows of a page by a kept order, with the row that shows whether there is another page; undefined when finding them
 * takes long, since many rows are skipped or all are counted.
 */
function nearPage(
  connection: Connection,
  kept: KeptOrder,
  { limit, offset, extras }: ReadPlan,
): number[] | undefined {
  if (limit + offset > MAX_KEPT_PAGE || extras?.counted) return undefined
  return readKeptPage(connection, kept, { after: extras?.page?.after, limit: limit + 1, offset })
}
