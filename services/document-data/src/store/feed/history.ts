import type { Connection } from '../sqlite/connections'
import { findLatestOfKey, listSizedEntries } from '../log/sized-entries'
import {
  readEntries,
  readLatestSeq,
  readOldestSeq,
  type LogEntry,
  type Operation,
  type RowOperation,
  type SchemaOperation,
} from '../log/log'

/** The entries of the log to list. */
export interface HistoryQuery {
  /** Only entries that concern the table with this ref. */
  readonly tableRef?: number | undefined
  /** Only entries that concern this row of the table. */
  readonly rowId?: number | undefined
  /** Only entries that were written with this API key. */
  readonly keyId?: number | undefined
  /** Only entries with a smaller seq; 0 for the newest. */
  readonly before: number
  /** At most this many. */
  readonly limit: number
}

/** Entries of the log, newest first. */
export interface HistoryPage {
  /** Without operations where they are too large. */
  readonly entries: readonly LogEntry[]
  /** The next page is before this seq; 0 at the end. */
  readonly next: number
  /** False when the limits ended the search before the page was full. */
  readonly isWhole: boolean
}

/** Limits of one search. */
export interface HistoryBounds {
  /** Entries to examine. */
  readonly entries: number
  /** Bytes of operations that are read. */
  readonly bytes: number
  /** Operations of more bytes than this are left out. */
  readonly entryBytes: number
}

/** A search that may run in another thread. */
export interface HistoryPlan {
  readonly export: 'history'
  readonly query: HistoryQuery
  readonly bounds: HistoryBounds
}

const MIB = 1024 * 1024

/** Limits on the event loop. */
const atOnce: HistoryBounds = { entries: 2_000, bytes: MIB, entryBytes: MIB }
/** Limits in a thread, which are higher: the changes of one row may be far apart, and in large entries. */
const inThread = {
  table: { entries: 200_000, bytes: MIB, entryBytes: MIB },
  row: { entries: 200_000, bytes: 64 * MIB, entryBytes: 128 * MIB },
}
/** Size of a page, which its last entry may exceed; and of one entry. */
const PAGE_BYTES = MIB
const MAX_ENTRY_BYTES = 8 * MIB
/** Entries examined at once. */
const STEP = 2_000

/** The same search with the bounds for a thread. */
export function planHistory(query: HistoryQuery): HistoryPlan {
  const bounds = query.rowId === undefined ? inThread.table : inThread.row
  return { export: 'history', query, bounds }
}

/** Searches in one step. */
export function readHistory(connection: Connection, query: HistoryQuery): HistoryPage {
  const search = searchHistory(connection, query, atOnce)
  for (;;) {
    const { done, value } = search.next()
    if (done) return value
  }
}

/** Searches step by step; the last part is the page as JSON. */
export function* historyParts(
  connection: Connection,
  { query, bounds }: HistoryPlan,
): Generator<Buffer | null> {
  yield Buffer.from(JSON.stringify(yield* searchHistory(connection, query, bounds)))
}

function* searchHistory(
  connection: Connection,
  query: HistoryQuery,
  bounds: HistoryBounds,
): Generator<null, HistoryPage> {
  const oldest = readOldestSeq(connection)
  const newest = readLatestSeq(connection)
  const { tableRef, keyId } = query
  const page = new PageInMaking(query.limit)
  // Entries of other keys are passed over by the index.
  const skip = (to: number) =>
    keyId === undefined ? to : 1 + findLatestOfKey(connection, keyId, to)
  let before = skip(Math.min(query.before || Infinity, newest + 1))
  for (let left = bounds.entries; left > 0 && before > oldest; left -= STEP) {
    const from = Math.max(oldest, before - Math.min(left, STEP))
    for (const { seq, size } of listSizedEntries(connection, { from, before, tableRef, keyId })) {
      const isTooLarge = size > bounds.entryBytes
      const cost = isTooLarge ? 0 : size
      if (page.isFull || page.isSpent(cost, bounds)) return page.end(seq + 1, page.isFull)
      const [entry] = readEntries(connection, { after: seq - 1, upTo: seq, maxBytes: cost })
      page.add(entry && narrow(entry, query), cost)
      if (query.rowId !== undefined) yield null
    }
    before = skip(from)
    yield null
  }
  const isLast = before <= oldest
  return page.end(isLast ? 0 : before, isLast || page.isFull)
}

class PageInMaking {
  private readonly entries: LogEntry[] = []
  /** Bytes of the page, and bytes read for it. */
  private bytes = 0
  private read = 0

  constructor(private readonly limit: number) {}

  get isFull(): boolean {
    return this.entries.length >= this.limit || this.bytes > PAGE_BYTES
  }

  /** True when reading this many more bytes would exceed the limits; the first entry is always read. */
  isSpent(cost: number, { bytes }: HistoryBounds): boolean {
    return this.read > 0 && this.read + cost > bytes
  }

  /** Adds an entry, if any, for which this many bytes were read. */
  add(entry: LogEntry | undefined, cost: number): void {
    this.read += cost
    if (!entry) return
    const { operations, ...rest } = entry
    const bytes = operations ? JSON.stringify(operations).length : 0
    this.entries.push(bytes > MAX_ENTRY_BYTES ? rest : entry)
    this.bytes += bytes > MAX_ENTRY_BYTES ? 0 : bytes
  }

  end(next: number, isWhole: boolean): HistoryPage {
    return { entries: this.entries, next, isWhole }
  }
}

/** The part of an entry that concerns the table or the row; undefined when there is none. */
function narrow(entry: LogEntry, { tableRef, rowId }: HistoryQuery): LogEntry | undefined {
  const { operations } = entry
  if (!operations || tableRef === undefined) return entry
  const concerned = operations.filter((operation) => operation.tableRef === tableRef)
  if (rowId === undefined) return { ...entry, operations: concerned }
  const ofRow = concerned.flatMap((operation) => narrowToRow(operation, rowId) ?? [])
  return ofRow.length > 0 ? { ...entry, operations: ofRow } : undefined
}

function narrowToRow(operation: Operation, rowId: number): Operation | undefined {
  return 'rowIds' in operation ? rowOf(operation, rowId) : cellOf(operation, rowId)
}

function rowOf(operation: RowOperation, rowId: number): RowOperation | undefined {
  const index = operation.rowIds.indexOf(rowId)
  if (index < 0) return undefined
  const columns = operation.columns.flatMap(({ old, new: after, ...column }) => {
    const [before, now] = [old?.[index] ?? null, after?.[index] ?? null]
    // A change of rows names all columns in which any row changed.
    if (old && after && before === now) return []
    return [{ ...column, ...(old && { old: [before] }), ...(after && { new: [now] }) }]
  })
  if (columns.length === 0) return undefined
  return { ...operation, rowIds: [rowId], columns }
}

/** The removal of a column that held a value in the row. */
function cellOf(operation: SchemaOperation, rowId: number): SchemaOperation | undefined {
  const { cells, ...rest } = operation
  const index = cells?.rowIds.indexOf(rowId) ?? -1
  if (!cells || index < 0) return undefined
  return { ...rest, cells: { rowIds: [rowId], values: [cells.values[index] ?? null] } }
}
