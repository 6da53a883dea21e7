import { quoteId } from '../../quoting/quote'
import type { Schema } from '../../store/schema/schema'
import type { Connection } from '../../store/sqlite/connections'
import { columnsOf } from './formula-columns'

/**
 * The rows from which a path of references leads to any of these rows: of the table that has the first column of the
 * path. `all` when a column of the path is gone or has become another type.
 */
export function traceBack(
  connection: Connection,
  schema: Schema,
  path: readonly number[],
  rowIds: readonly number[],
): readonly number[] | 'all' {
  const { byRef } = columnsOf(schema)
  let rows = rowIds
  for (const ref of [...path].reverse()) {
    const of = byRef.get(ref)
    if (!of) return 'all'
    const [table, column] = [quoteId(of.table.tableId), quoteId(of.column.id)]
    const isList = of.column.type.storage === 'list'
    // A reference to a missing row may be kept as text of an id: such a cell reads no row.
    const sql = isList
      ? `SELECT id FROM ${table} WHERE ${column} >= '[' AND ${column} < '\\' AND EXISTS (
           SELECT 1 FROM json_each(${column}) i WHERE i.value IN (SELECT value FROM json_each(?)))`
      : `SELECT id FROM ${table} WHERE ${column} IN (SELECT value FROM json_each(?))`
    rows = connection.pluck<number>(sql).all(JSON.stringify(rows))
    if (rows.length === 0) return rows
  }
  return rows
}
