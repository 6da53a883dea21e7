import { setImmediate as nextTurn } from 'node:timers/promises'
import { AppError } from '@sheaf/kit/errors'
import { requireRow, type Connection } from '../sqlite/connections'
import type { Loan } from '../sqlite/reader-pool'
import { translateSqliteError } from '../sqlite/sqlite-errors'
import { arrowParts } from './arrow-parts'
import { columnParts, readColumnsAtOnce } from './column-chunks'
import { idsInOrder } from './ordered-ids'
import { findExtras } from './read-extras'
import { clausesOf, takesAll, type ReadPlan } from './read-plan'
import { skipRows } from './skip-rows'

/** Rows in one chunk of a large reply at most; fewer when they are long. */
const RANGE_ROWS = 1500
/** Size that chunks of a large reply approach. */
const CHUNK_BYTES = 256 * 1024
/** Rows examined at once at most when few of them match. */
const FILTER_ROWS = 16_000
/** The same limit where each row is also parsed again. */
const ARROW_FILTER_ROWS = 4_000
/** Rows in the first chunk, before their length is known. */
const FIRST_ROWS = 20
/** Growth of the number of rows from one chunk to the next at most. */
const MAX_GROWTH = 64

/** The text before the rows of a part. */
interface Lead {
  text: string
}

/** Limits of a read that spans several turns of the event loop. */
export interface ReadLimits {
  /** Aborted when the caller has disconnected. */
  readonly signal: AbortSignal | undefined
  /** Longest life of the snapshot, in milliseconds: while it lives the write-ahead log cannot shrink. */
  readonly maxAgeMs: number
  /** The user whose share of long reads is used; undefined for a read of Sheaf itself, which has no limit. */
  readonly userId?: number
}

/*
 * Every statement here uses NOT INDEXED: automatic indexes come and go, and the result of a read and its
 * order must not depend on them. Indexes are queried beforehand (findByIndex).
 */

/** The whole document of a small read; as `documentParts` gives it when there are extras. */
export function readAtOnce(connection: Connection, plan: ReadPlan): Buffer {
  if (plan.columns) return readColumnsAtOnce(connection, plan, plan.columns)
  if (plan.extras || plan.arrow)
    return Buffer.concat([...documentParts(connection, plan)].filter((part) => part !== null))
  const { head, separator, tail } = plan.frame
  const clauses = clausesOf(plan)
  const sql = `
    SELECT CAST(? || coalesce(group_concat(j, '${separator}'), '') || ? AS BLOB) FROM (
      SELECT ${plan.row} AS j FROM ${plan.from} NOT INDEXED ${clauses.sql})`
  return requireRow(connection.pluck<Buffer>(sql).get(head, tail, ...clauses.params))
}

/** The error for a reader that consumed its result too slowly. */
export function tooSlow(): AppError {
  return new AppError('unavailable', 'READ_TOO_SLOW', 'the client reads too slowly')
}

/** The error for a call that has ended. */
export function callEnded(): AppError {
  return new AppError('timeout', 'CALL_ENDED', 'the call has ended')
}

/**
 * The parts of a large read, all from the snapshot that the loan's transaction holds. Every part is
 * made on demand; other work runs between two of them. Returns the loan at the end, also
 * when the iteration stops early. Throws `unavailable` when the snapshot grows too old.
 */
export async function* readInChunks(
  loan: Loan,
  parts: Iterator<Buffer | null, void>,
  limits: ReadLimits,
): AsyncGenerator<Buffer> {
  let stale: AppError | undefined
  const timer = setTimeout(() => {
    stale = tooSlow()
    loan.release()
  }, limits.maxAgeMs)
  timer.unref()
  try {
    for (;;) {
      const ended = stale ?? loan.revoked
      if (ended) throw ended
      if (limits.signal?.aborted) throw callEnded()
      const part = nextPart(parts)
      if (part === undefined) return
      if (part) yield part
      await nextTurn()
    }
  } finally {
    clearTimeout(timer)
    // Parts may have opened another file.
    parts.return?.()
    loan.release()
  }
}

/** The next part; null when it holds no rows, undefined at the end. */
function nextPart(parts: Iterator<Buffer | null, void>): Buffer | null | undefined {
  try {
    const { done, value } = parts.next()
    return done ? undefined : value
  } catch (error) {
    throw translateSqliteError(error)
  }
}

/**
 * The document of a read in parts, each made on demand; null for one that holds no rows. Shows what the
 * transaction of the connection sees. Throws what SQLite throws. With extras, the facts found precede the
 * document, on a line of its own, and a JSON document lacks its last brace, so that more can be appended.
 */
export function* documentParts(connection: Connection, plan: ReadPlan): Generator<Buffer | null> {
  // SQLite concatenates the parts itself: its output is sent without another copy.
  if (plan.columns) {
    yield* columnParts(connection, plan, plan.columns)
    return
  }
  const found = plan.extras && (yield* findExtras(connection, plan, plan.extras))
  if (found) yield found.line
  const parts = framedParts(connection, plan, found?.ids)
  yield* plan.arrow ? arrowParts(plan.arrow, parts) : parts
}

/** The rows with their enclosing text, all or those with these ids. */
function* framedParts(
  connection: Connection,
  plan: ReadPlan,
  ids: readonly number[] | undefined,
): Generator<Buffer | null> {
  const { head, separator } = plan.frame
  const tail = plan.extras ? plan.frame.openTail : plan.frame.tail
  const lead: Lead = { text: head }
  const parts = ids
    ? rowParts(connection, plan, lead, ids)
    : (plan.inRanges ? rangeParts : sortedParts)(connection, plan, lead)
  let begun = false
  for (const part of parts) {
    if (part) {
      begun = true
      lead.text = separator
    }
    yield part
  }
  const end = begun ? tail : head + tail
  if (end !== '') yield Buffer.from(end)
}

/** Rows in the order of their ids, a range of ids at a time. */
function rangeParts(connection: Connection, plan: ReadPlan, lead: Lead): Generator<Buffer | null> {
  if (plan.limit > 0) return limitedParts(connection, plan, lead)
  return filteredParts(connection, plan, lead)
}

/** Number of rows to read next, given the size of this part; of rows of which few may pass, more at each step. */
function adapt(rows: number, part: Buffer | null, most = RANGE_ROWS): number {
  const fitting = part === null ? most : Math.round((rows * CHUNK_BYTES) / part.length)
  return Math.max(1, Math.min(most, fitting, rows * MAX_GROWTH))
}

/**
 * Rows that pass the filter. The end of a range is found first: to copy rows through a subselect with a limit
 * would take half as long again.
 */
function* filteredParts(
  connection: Connection,
  plan: ReadPlan,
  lead: Lead,
): Generator<Buffer | null> {
  const { from, row, frame, where, params } = plan
  const findEnd = connection.pluck<number>(
    `SELECT id FROM ${from} NOT INDEXED WHERE id > ? ORDER BY id LIMIT 1 OFFSET ?`,
  )
  const statement = connection.pluck<Buffer | null>(`
    SELECT CAST(?||group_concat(${row}, '${frame.separator}') AS BLOB)
    FROM ${from} NOT INDEXED WHERE id > ? AND id <= ? AND (${where})`)
  const most = takesAll(plan) ? RANGE_ROWS : plan.arrow ? ARROW_FILTER_ROWS : FILTER_ROWS
  let rows = FIRST_ROWS
  for (let after: number | undefined = yield* skipRows(connection, plan); after !== undefined;) {
    const end = findEnd.get(after, rows - 1)
    const range = [after, end ?? Number.MAX_SAFE_INTEGER]
    const part = requireRow(statement.get(lead.text, ...range, ...params))
    yield part
    after = end
    rows = adapt(rows, part, most)
  }
}

/** The first rows that pass the filter. */
function* limitedParts(
  connection: Connection,
  plan: ReadPlan,
  lead: Lead,
): Generator<Buffer | null> {
  const { from, row, frame, where, params, limit } = plan
  const statement = connection.raw<[Buffer | null, number | null, number]>(`
    SELECT CAST(?||group_concat(${row}, '${frame.separator}') AS BLOB), max(id), count(*)
    FROM (SELECT * FROM ${from} NOT INDEXED WHERE id > ? AND (${where}) ORDER BY id LIMIT ?)`)
  let after = yield* skipRows(connection, plan)
  let rows = FIRST_ROWS
  for (let left = limit; left > 0;) {
    const range = [after, ...params, Math.min(rows, left)]
    const [part, last, count] = requireRow(statement.get(lead.text, ...range))
    if (last === null) return
    yield part
    after = last
    left -= count
    rows = adapt(rows, part)
  }
}

/** Rows in the requested order: first all their ids, then the rows in pieces. */
function* sortedParts(
  connection: Connection,
  plan: ReadPlan,
  lead: Lead,
): Generator<Buffer | null> {
  yield* rowParts(connection, plan, lead, idsInOrder(connection, plan))
}

/** The rows with these ids, in their order. */
function* rowParts(
  connection: Connection,
  { from, row, frame }: ReadPlan,
  lead: Lead,
  ids: readonly number[],
): Generator<Buffer | null> {
  const statement = connection.pluck<Buffer | null>(`
    SELECT CAST(?||group_concat(
      (SELECT ${row} FROM ${from} NOT INDEXED WHERE id = e.value), '${frame.separator}') AS BLOB)
    FROM json_each(?) e`)
  let rows = FIRST_ROWS
  for (let start = 0; start < ids.length;) {
    const part = requireRow(
      statement.get(lead.text, JSON.stringify(ids.slice(start, start + rows))),
    )
    yield part
    start += rows
    rows = adapt(rows, part)
  }
}
