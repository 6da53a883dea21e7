import { setImmediate as nextTurn } from 'node:timers/promises'
import { AppError } from '@sheaf/kit/errors'
import { quoteId } from '../query/quote'
import { rowJsonSql } from '../query/row-json'
import type { ReadQuery } from '../query/read-query'
import type { Connection } from './connections'
import type { Loan } from './reader-pool'
import type { Table } from './schema'
import { tellSqliteError } from './sqlite-errors'

/** Rows that are read in one go, in one turn of the event loop: about a millisecond. */
const SMALL = 1000
/** Rows in one chunk of a large reply at most; fewer when they are long. */
const RANGE_ROWS = 1500
/** Size that chunks of a large reply approach. */
const CHUNK_BYTES = 256 * 1024
/** Rows looked at in one go when most of them may not be wanted. */
const FILTER_ROWS = 16_000
/** Rows in the first chunk, before anything is known of their length. */
const FIRST_ROWS = 500

/** Below every row id. */
const FIRST = Number.MIN_SAFE_INTEGER

const HEAD = Buffer.from('{"records":[')
const TAIL = Buffer.from(']}')
const COMMA = Buffer.from(',')

/** What a read selects, ready to run. */
export interface RowSelection {
  readonly table: Table
  readonly query: ReadQuery
  /** True to include hidden columns. */
  readonly hidden: boolean
}

/** Bounds of a read that takes several turns. */
export interface ReadLimits {
  /** Aborted when the caller has gone away. */
  readonly signal: AbortSignal | undefined
  /** Longest life of the snapshot, in milliseconds: while it lives the write-ahead log cannot shrink. */
  readonly maxAgeMs: number
}

/** True when a read is small enough for one turn of the event loop. */
export function isSmall(connection: Connection, { table, query }: RowSelection): boolean {
  if (isAll(query) && query.inIdOrder && query.limit > 0 && query.limit <= SMALL) return true
  const highest = connection.pluck(`SELECT max(id) FROM ${quoteId(table.tableId)}`).get()
  return ((highest as number | null) ?? 0) <= RANGE_ROWS || isSparse(connection, table)
}

function isAll({ where }: ReadQuery): boolean {
  return where === '1'
}

/** True when the table has few rows although its ids are high. */
function isSparse(connection: Connection, table: Table): boolean {
  const beyond = connection
    .pluck(`SELECT id FROM ${quoteId(table.tableId)} ORDER BY id LIMIT 1 OFFSET ${RANGE_ROWS}`)
    .get()
  return beyond === undefined
}

/** The whole JSON document of a small read. */
export function readAtOnce(connection: Connection, selection: RowSelection): Buffer {
  const { table, query, hidden } = selection
  const sql = `
    SELECT CAST('{"records":[' || coalesce(group_concat(j, ','), '') || ']}' AS BLOB) FROM (
      SELECT ${rowJsonSql(table, { hidden })} AS j FROM ${quoteId(table.tableId)} ${clauses(query)})`
  return connection.pluck(sql).get(...query.params) as Buffer
}

function clauses({ where, orderBy, limit }: ReadQuery): string {
  return `WHERE ${where} ORDER BY ${orderBy}${limit === 0 ? '' : ` LIMIT ${limit}`}`
}

/**
 * The JSON document of a large read in chunks, all from the snapshot that the loan's transaction holds. Every chunk is
 * made when it is asked for; between two of them other work gets its turn. Gives the loan back when it ends, also
 * when whoever iterates stops early. Throws `unavailable` when the snapshot grew too old.
 */
export async function* readInChunks(
  loan: Loan,
  selection: RowSelection,
  limits: ReadLimits,
): AsyncGenerator<Buffer> {
  let stale: AppError | undefined
  const timer = setTimeout(() => {
    stale = new AppError('unavailable', 'READ_TOO_SLOW', 'the reply was not taken in time')
    loan.release()
  }, limits.maxAgeMs)
  timer.unref()
  try {
    const parts = (selection.query.inIdOrder ? rangeParts : sortedParts)(loan.connection, selection)
    let begun = false
    for (;;) {
      const ended = stale ?? loan.revoked
      if (ended) throw ended
      if (limits.signal?.aborted) throw new AppError('timeout', 'CALL_ENDED', 'the call has ended')
      const part = nextPart(parts)
      if (part === undefined) break
      if (part) {
        yield Buffer.concat([begun ? COMMA : HEAD, part])
        begun = true
      }
      await nextTurn()
    }
    yield begun ? TAIL : Buffer.concat([HEAD, TAIL])
  } finally {
    clearTimeout(timer)
    loan.release()
  }
}

/** The next part; null when it holds no rows, undefined at the end. */
function nextPart(parts: Iterator<Buffer | null, void>): Buffer | null | undefined {
  try {
    const { done, value } = parts.next()
    return done ? undefined : value
  } catch (error) {
    throw tellSqliteError(error)
  }
}

/** Rows in the order of their ids, a range of ids at a time. */
function rangeParts(connection: Connection, selection: RowSelection): Generator<Buffer | null> {
  const { limit } = selection.query
  if (limit > 0) return limitedParts(connection, selection, limit)
  return isAll(selection.query)
    ? wholeParts(connection, selection)
    : filteredParts(connection, selection)
}

/** Every row. */
function* wholeParts(
  connection: Connection,
  { table, hidden }: RowSelection,
): Generator<Buffer | null> {
  const statement = connection.raw(`
    SELECT CAST(group_concat(${rowJsonSql(table, { hidden })}, ',') AS BLOB), max(id)
    FROM (SELECT * FROM ${quoteId(table.tableId)} WHERE id > ? ORDER BY id LIMIT ?)`)
  let rows = FIRST_ROWS
  for (let after = FIRST; ;) {
    const [part, last] = statement.get(after, rows) as [Buffer | null, number | null]
    if (last === null) return
    yield part
    after = last
    rows = adapt(rows, part)
  }
}

/** How many rows to read next, when so many made this part. */
function adapt(rows: number, part: Buffer | null): number {
  const fitting = part === null ? RANGE_ROWS : Math.round((rows * CHUNK_BYTES) / part.length)
  return Math.max(1, Math.min(RANGE_ROWS, fitting))
}

/** Rows that pass the filter: ranges of ids first, since copying rows that are not wanted would double the time. */
function* filteredParts(
  connection: Connection,
  { table, query, hidden }: RowSelection,
): Generator<Buffer | null> {
  const from = quoteId(table.tableId)
  const findEnd = connection.pluck(
    `SELECT id FROM ${from} WHERE id > ? ORDER BY id LIMIT 1 OFFSET ${FILTER_ROWS - 1}`,
  )
  const statement = connection.pluck(`
    SELECT CAST(group_concat(${rowJsonSql(table, { hidden })}, ',') AS BLOB)
    FROM ${from} WHERE id > ? AND id <= ? AND (${query.where})`)
  for (let after: number | undefined = FIRST; after !== undefined;) {
    const end = findEnd.get(after) as number | undefined
    const range = [after, end ?? Number.MAX_SAFE_INTEGER]
    yield statement.get(...range, ...query.params) as Buffer | null
    after = end
  }
}

/** The first rows that pass the filter. */
function* limitedParts(
  connection: Connection,
  { table, query, hidden }: RowSelection,
  limit: number,
): Generator<Buffer | null> {
  const statement = connection.raw(`
    SELECT CAST(group_concat(${rowJsonSql(table, { hidden })}, ',') AS BLOB), max(id), count(*)
    FROM (SELECT * FROM ${quoteId(table.tableId)} WHERE id > ? AND (${query.where})
          ORDER BY id LIMIT ?)`)
  let after = FIRST
  let rows = FIRST_ROWS
  for (let left = limit; left > 0;) {
    const range = [after, ...query.params, Math.min(rows, left)]
    const [part, last, count] = statement.get(...range) as [Buffer | null, number | null, number]
    if (last === null) return
    yield part
    after = last
    left -= count
    rows = adapt(rows, part)
  }
}

/** Rows in the order asked for: first all their ids, then the rows in pieces. */
function* sortedParts(
  connection: Connection,
  { table, query, hidden }: RowSelection,
): Generator<Buffer | null> {
  const from = quoteId(table.tableId)
  const ids = connection
    .pluck(`SELECT id FROM ${from} ${clauses(query)}`)
    .all(...query.params) as number[]
  const statement = connection.pluck(`
    SELECT CAST(group_concat(
      (SELECT ${rowJsonSql(table, { hidden })} FROM ${from} WHERE id = e.value), ',') AS BLOB)
    FROM json_each(?) e`)
  let rows = FIRST_ROWS
  for (let start = 0; start < ids.length;) {
    const part = statement.get(JSON.stringify(ids.slice(start, start + rows))) as Buffer | null
    yield part
    start += rows
    rows = adapt(rows, part)
  }
}
