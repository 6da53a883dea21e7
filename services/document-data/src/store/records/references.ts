import type { StoredValue } from '../../values/column-type'
import { quoteId } from '../../quoting/quote'
import type { Connection } from '../sqlite/connections'
import type { Column, Schema, Table } from '../schema/schema'

/** Cells of one column that have to change. */
export interface ReferenceChange {
  readonly table: Table
  readonly column: Column
  readonly rowIds: readonly number[]
  readonly values: readonly StoredValue[]
}

/**
 * The changes that clear references to removed rows: a reference becomes 0, a list loses the ids and becomes
 * null when it is empty. Does not apply them.
 */
export function clearReferences(
  connection: Connection,
  schema: Schema,
  target: Table,
  removed: readonly number[],
): ReferenceChange[] {
  const changes: ReferenceChange[] = []
  const gone = JSON.stringify(removed)
  for (const table of schema.tables)
    for (const column of table.columns) {
      if (column.type.argument !== target.tableId || column.isFormula) continue
      const change =
        column.type.name === 'Ref'
          ? clearSingle(connection, table, column, gone)
          : clearList(connection, table, column, gone)
      if (change.rowIds.length > 0) changes.push(change)
    }
  return changes
}

function clearSingle(
  connection: Connection,
  table: Table,
  column: Column,
  gone: string,
): ReferenceChange {
  const rowIds = connection
    .pluck<number>(
      `SELECT id FROM ${quoteId(table.tableId)}
       WHERE ${quoteId(column.id)} IN (SELECT value FROM json_each(?)) ORDER BY id`,
    )
    .all(gone)
  return { table, column, rowIds, values: rowIds.map(() => column.type.defaultValue) }
}

function clearList(
  connection: Connection,
  table: Table,
  column: Column,
  gone: string,
): ReferenceChange {
  const name = quoteId(column.id)
  // Text in cells never begins with a bracket, so a value that does is a list.
  const rows = connection
    .raw<[number, string]>(
      `SELECT id, (SELECT json_group_array(e.value) FROM json_each(t.${name}) e
                   WHERE e.value NOT IN (SELECT value FROM json_each(?)))
       FROM ${quoteId(table.tableId)} t
       WHERE EXISTS (
         SELECT 1 FROM json_each(CASE WHEN t.${name} LIKE '[%' THEN t.${name} ELSE '[]' END) e
         WHERE e.value IN (SELECT value FROM json_each(?)))`,
    )
    .all(gone, gone)
  return {
    table,
    column,
    rowIds: rows.map(([id]) => id),
    values: rows.map(([, list]) => (list === '[]' ? null : list)),
  }
}
