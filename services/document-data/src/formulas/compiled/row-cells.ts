import { quoteId } from '../../quoting/quote'
import type { LogValue } from '../../store/log/log'
import { requireRow, type Connection } from '../../store/sqlite/connections'
import type { CompiledColumn } from './compiled-columns'

/** Rows to compute: by their ids, or at most `limit` from one id to another. */
export type WantedRows =
  | {
      readonly rows: readonly number[]
      /** True for a column that does not exist. */
      readonly isUnstored?: boolean
    }
  | { readonly from: number; readonly to: number; readonly limit?: number }

/** Cells of rows, by id. */
export interface RowCells {
  readonly ids: readonly number[]
  /** The cells that the formula reads in its own row, column by column. */
  readonly columns: readonly (readonly LogValue[])[]
  /** The cells of the formula as they are stored. */
  readonly before: readonly LogValue[]
}

/** Reads the rows to compute, as far as they exist. */
export function readRows(
  connection: Connection,
  { of, formula }: CompiledColumn,
  wanted: WantedRows,
): RowCells {
  const own = formula.ownColumns.map(({ column }) => quoteId(column.id))
  const isUnstored = 'rows' in wanted && wanted.isUnstored
  const columns = [...own, isUnstored ? 'NULL' : quoteId(of.column.id)]
  const names = columns.map((name, place) => `${name} AS c${place}`).join(', ')
  const from = `FROM ${quoteId(of.table.tableId)} WHERE id`
  if ('rows' in wanted) {
    const sql = `SELECT id, ${names} ${from} IN (SELECT value FROM json_each(?)) ORDER BY id`
    return readEach(connection, columns.length, { sql, params: [JSON.stringify(wanted.rows)] })
  }
  const sql = `SELECT id, ${names} ${from} BETWEEN ? AND ? ORDER BY id LIMIT ?`
  const query = { sql, params: [wanted.from, wanted.to, wanted.limit ?? -1] }
  return readLists(connection, columns.length, query) ?? readEach(connection, columns.length, query)
}

/** SQLite's error for a list with other bytes. */
const NO_BYTES = 'JSON cannot hold BLOB values'

interface Query {
  readonly sql: string
  readonly params: readonly (number | string)[]
}

function readEach(connection: Connection, count: number, { sql, params }: Query): RowCells {
  const rows = connection.raw<[number, ...LogValue[]]>(sql).all(...params)
  const lists = Array.from({ length: count }, (_, place) =>
    rows.map((row) => row[place + 1] ?? null),
  )
  return toRowCells(
    rows.map(([id]) => id),
    lists,
  )
}

/** Reads each column as one JSON list, which takes less time for many rows; undefined where it cannot hold a cell. */
function readLists(
  connection: Connection,
  count: number,
  { sql, params }: Query,
): RowCells | undefined {
  const names = Array.from({ length: count }, (_, place) => `c${place}`)
  const lists = ['id', ...names].map((name) => `json_group_array(${name})`).join(', ')
  // Some bytes are JSON to SQLite. All bytes come after other values.
  const hasBytes = names.map((name) => `typeof(max(${name})) = 'blob'`).join(' OR ')
  const statement = connection.raw<[number, ...string[]]>(
    `SELECT ${hasBytes}, ${lists} FROM (${sql})`,
  )
  try {
    const [isUnfit, ...texts] = requireRow(statement.get(...params))
    if (isUnfit) return undefined
    const [ids = [], ...columns] = texts.map((text) => JSON.parse(text) as LogValue[])
    return toRowCells(ids as number[], columns)
  } catch (error) {
    if ((error as Partial<Error>).message === NO_BYTES) return undefined
    throw error
  }
}

function toRowCells(ids: readonly number[], lists: readonly (readonly LogValue[])[]): RowCells {
  return { ids, columns: lists.slice(0, -1), before: lists.at(-1) ?? [] }
}
