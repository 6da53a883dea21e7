import { quoteId } from '../../quoting/quote'
import type { Condition } from '../../query/filter'
import type { ReadExtras, ReadQuery } from '../../query/read-query'
import { searchCost } from '../../query/search'
import { rowSql, type RowForm, type RowSql } from '../../query/row-form'
import type { Order } from '../../query/sort'
import type { StoredValue } from '../../values/column-type'
import { requireRow, type Connection } from '../sqlite/connections'
import type { KeptOrder } from '../indexes/kept-orders'
import type { Table } from '../schema/schema'

/** Rows read in one turn of the event loop: about a millisecond. */
const SMALL = 1000
/** Tables up to this number of rows are always read at once. */
const SMALL_TABLE = 1500
/** Maximum rows of a full sort on the event loop: some 20 ms. */
const SORT_ROWS = 10_000
/** Maximum rows that a read without a sort may examine on the event loop. */
const LONG_ROWS = 50_000
/** Maximum cells that a search may examine on the event loop: some 20 ms. */
const SEARCHED_CELLS = 100_000
/** Maximum rows found by an index; beyond it, a scan costs little more. */
const MAX_FOUND = 5_000

/** What a read selects, as plain values that can go to another thread. */
export interface ReadPlan extends RowSql {
  /** Quoted name of the table. */
  readonly from: string
  readonly where: string
  readonly order: Order
  /** True when rows are in row id order and are read in ranges of ids. */
  readonly inRanges: boolean
  readonly limit: number
  /** Rows to skip before the first one. */
  readonly offset: number
  /** Bound values of `where`. */
  readonly params: readonly StoredValue[]
  /** Cost of searching a row, in cells; absent for no search. */
  readonly searched?: number
  /** True when the rows are few and known by their ids. */
  readonly isNarrow?: boolean
  /** An order by which the rows of the page are found, if the file still keeps it. */
  readonly kept?: KeptOrder
  /** Extras computed before the rows (read-extras.ts); absent when there are none. */
  readonly extras?: ReadExtras
}

/** Where a read runs: at once, piece by piece between other work, or in a thread. */
export type Extent = 'small' | 'long' | 'heavy'

/** SQL common to all reads of a table; tables are immutable, a change of the schema creates new ones. */
const tableSql = new WeakMap<Table, Map<string, RowSql>>()

function sqlOf(table: Table, form: RowForm): RowSql {
  const known = tableSql.get(table) ?? new Map<string, RowSql>()
  tableSql.set(table, known)
  const { hidden, typed, inColumns, format } = form
  const key = `${inColumns || hidden} ${typed} ${inColumns} ${format}`
  const ready = known.get(key)
  if (ready) return ready
  const sql = rowSql(table, form)
  known.set(key, sql)
  return sql
}

/** Plans the read of a table. */
export function planRead(table: Table, query: ReadQuery, form: RowForm): ReadPlan {
  const { where, order, inIdOrder, limit, offset = 0, params, fields, extras } = query
  const from = quoteId(table.tableId)
  const sql = fields ? sqlOfFields(table, fields, form) : sqlOf(table, form)
  const searched = query.search && searchCost(query.search)
  const rows = { where, order, inRanges: inIdOrder, limit, offset, params, extras, searched }
  return { from, ...sql, ...rows }
}

/** Columns that are named explicitly are included even if hidden. */
function sqlOfFields(table: Table, fields: readonly string[], form: RowForm): RowSql {
  const columns = table.columns.filter(({ id }) => fields.includes(id))
  return rowSql({ tableId: table.tableId, columns }, { ...form, hidden: true })
}

/** The clauses that select the rows, in order, and their bound values. */
export function clausesOf({ where, params, order, limit, offset }: ReadPlan): Condition {
  const range = limit > 0 || offset > 0 ? ` LIMIT ${limit > 0 ? limit : -1} OFFSET ${offset}` : ''
  return {
    sql: `WHERE ${where} ORDER BY ${order.sql}${range}`,
    params: [...params, ...order.params],
  }
}

/** True when every row passes. */
export function takesAll({ where }: ReadPlan): boolean {
  return where === '1'
}

/** True for a page of a table in its own order, which is cheap for a table of any size. */
export function isPage(plan: ReadPlan): boolean {
  const { inRanges, limit, offset, extras } = plan
  const isShort = limit > 0 && limit + offset <= SMALL
  return takesAll(plan) && inRanges && isShort && !extras?.counted
}

/** Number of rows of a table: exact when small, otherwise an upper bound. */
export function countRoughly(connection: Connection, { from }: Pick<ReadPlan, 'from'>): number {
  const highest = requireRow(connection.pluck<number | null>(`SELECT max(id) FROM ${from}`).get())
  if (highest === null || highest <= SMALL_TABLE) return highest ?? 0
  const beyond = connection
    .pluck(`SELECT id FROM ${from} ORDER BY id LIMIT 1 OFFSET ${SMALL_TABLE}`)
    .get()
  return beyond === undefined ? SMALL_TABLE : highest
}

/** The cost class of a read of a table with this many rows. */
export function extentOf(plan: ReadPlan, rows: number): Extent {
  if (rows * (plan.searched ?? 0) > SEARCHED_CELLS) return 'heavy'
  if (rows <= SMALL_TABLE) return 'small'
  if (!plan.inRanges) return rows > SORT_ROWS ? 'heavy' : 'long'
  const isBounded = takesAll(plan) && plan.limit > 0 && !plan.extras?.counted
  const looked = isBounded ? Math.min(rows, plan.limit + plan.offset) : rows
  return looked > LONG_ROWS ? 'heavy' : 'long'
}

/**
 * Ids of the rows that satisfy the condition on a column that has an index, or on the row id; undefined when
 * they are too many for the index to be of use.
 */
export function findByIndex(
  connection: Connection,
  { from }: ReadPlan,
  { sql, params }: Condition,
): number[] | undefined {
  const ids = connection
    .pluck<number>(`SELECT id FROM ${from} WHERE ${sql} LIMIT ${MAX_FOUND + 1}`)
    .all(...params)
  return ids.length > MAX_FOUND ? undefined : ids
}

/** The same read, restricted to these rows; valid until the next write. */
export function narrowTo(plan: ReadPlan, ids: readonly number[]): ReadPlan {
  return {
    ...plan,
    where: `id IN (SELECT value FROM json_each(?)) AND (${plan.where})`,
    params: [JSON.stringify(ids), ...plan.params],
    inRanges: false,
    isNarrow: true,
  }
}

/** The cost class of a read of this many known rows. */
export function extentOfFound(count: number): Extent {
  return count <= SMALL ? 'small' : 'long'
}
