import type { ColumnSql } from '../../query/row-json'
import { requireRow, type Connection } from '../sqlite/connections'
import { idsInOrder } from './ordered-ids'
import { clausesOf, takesAll, type ReadPlan } from './read-plan'

/*
 * Replies with one list per column. No list can be completed before all rows have been examined, so the rows
 * are scanned once per column, all in one snapshot: this reads their pages repeatedly, but holds no more than
 * one chunk in memory, and the ids of rows that were filtered or sorted.
 */

/** Size that chunks approach. */
const CHUNK_BYTES = 256 * 1024
/** Maximum number of cells in one chunk: about a millisecond. */
const MAX_CELLS = 16_000
/** Cells in the first chunk of a column, before their length is known. */
const FIRST_CELLS = 100
/** Rows examined at once when most of them may not match. */
const FILTER_ROWS = 16_000
/**
 * Maximum columns of a small reply that one statement creates; a concat has twice as many arguments, of at
 * most 1,000.
 */
const COLUMNS_AT_ONCE = 200
/** Below every row id. */
const FIRST = Number.MIN_SAFE_INTEGER

/** The whole JSON document of a small read. */
export function readColumnsAtOnce(
  connection: Connection,
  plan: ReadPlan,
  columns: readonly ColumnSql[],
): Buffer {
  const parts: Buffer[] = []
  const clauses = clausesOf(plan)
  for (let start = 0; start < columns.length; start += COLUMNS_AT_ONCE) {
    const some = columns.slice(start, start + COLUMNS_AT_ONCE)
    // No column id contains a space, so none collides with these.
    const cells = some.map(({ cell }, i) => `${cell} AS " ${i}"`)
    const lists = some.map(
      ({ key }, i) => `${quoteLead(key, start + i)}, coalesce(group_concat(" ${i}", ','), ''), ']'`,
    )
    const statement = connection.pluck<Buffer>(`
      SELECT CAST(concat(${lists.join(',')}) AS BLOB) FROM (
        SELECT ${cells.join(', ')} FROM ${plan.from} NOT INDEXED ${clauses.sql})`)
    parts.push(requireRow(statement.get(...clauses.params)))
  }
  parts.push(Buffer.from('}'))
  return Buffer.concat(parts)
}

/** The text before a list. */
function lead(key: string, place: number): string {
  return `${place === 0 ? '{' : ','}${key}:[`
}

function quoteLead(key: string, place: number): string {
  return `'${lead(key, place).replace(/'/g, "''")}'`
}

/** The JSON document of a large read in parts, each made on demand; null where rows were only examined. */
export function* columnParts(
  connection: Connection,
  plan: ReadPlan,
  columns: readonly ColumnSql[],
): Generator<Buffer | null> {
  const isWhole = plan.inRanges && takesAll(plan) && plan.limit === 0
  const ids = isWhole ? undefined : yield* findIds(connection, plan)
  for (const [place, { key, cell }] of columns.entries()) {
    let before = lead(key, place)
    const parts = ids ? cellsOf(connection, plan, cell, ids) : allCells(connection, plan, cell)
    for (const part of parts) {
      yield Buffer.concat([Buffer.from(before), part])
      before = ','
    }
    yield Buffer.from(before === ',' ? ']' : `${before}]`)
  }
  yield Buffer.from('}')
}

/** Ids of the rows, in their order. */
function* findIds(connection: Connection, plan: ReadPlan): Generator<null, number[]> {
  const { from, where, params, limit } = plan
  if (!plan.inRanges) return idsInOrder(connection, plan)
  const findEnd = connection.pluck<number>(
    `SELECT id FROM ${from} NOT INDEXED WHERE id > ? ORDER BY id LIMIT 1 OFFSET ${FILTER_ROWS - 1}`,
  )
  const statement = connection.pluck<number>(
    `SELECT id FROM ${from} NOT INDEXED WHERE id > ? AND id <= ? AND (${where}) ORDER BY id`,
  )
  const ids: number[] = []
  for (let after: number | undefined = FIRST; after !== undefined;) {
    const end = findEnd.get(after)
    ids.push(...statement.all(after, end ?? Number.MAX_SAFE_INTEGER, ...params))
    if (limit > 0 && ids.length >= limit) return ids.slice(0, limit)
    yield null
    after = end
  }
  return ids
}

/** The cells of every row. */
function* allCells(connection: Connection, { from }: ReadPlan, cell: string): Generator<Buffer> {
  const statement = connection.raw<[Buffer, number | null]>(`
    SELECT CAST(group_concat(c, ',') AS BLOB), max(id)
    FROM (SELECT id, ${cell} AS c FROM ${from} NOT INDEXED WHERE id > ? ORDER BY id LIMIT ?)`)
  let cells = FIRST_CELLS
  for (let after = FIRST; ;) {
    const [part, last] = requireRow(statement.get(after, cells))
    if (last === null) return
    yield part
    after = last
    cells = adapt(cells, part)
  }
}

/** The cells of some rows, in the order of the ids. */
function* cellsOf(
  connection: Connection,
  { from }: ReadPlan,
  cell: string,
  ids: readonly number[],
): Generator<Buffer> {
  const statement = connection.pluck<Buffer>(`
    SELECT CAST(group_concat((SELECT ${cell} FROM ${from} NOT INDEXED WHERE id = e.value), ',') AS BLOB)
    FROM json_each(?) e`)
  let cells = FIRST_CELLS
  for (let start = 0; start < ids.length;) {
    const part = requireRow(statement.get(JSON.stringify(ids.slice(start, start + cells))))
    yield part
    start += cells
    cells = adapt(cells, part)
  }
}

/** Number of cells to read next, given the size of this part. */
function adapt(cells: number, { length }: Buffer): number {
  return Math.max(1, Math.min(MAX_CELLS, Math.round((cells * CHUNK_BYTES) / length)))
}
