import type { DocumentWriter } from '../document'
import type { Column, Table } from '../schema/schema'
import type { ColumnChange } from './column-changes'
import { removeColumn } from './column-removal'
import { updateColumns } from './column-updates'
import { addColumns, type NewColumn } from './columns'
import { removeTables } from './table-removal'
import { updateTables } from './table-updates'
import { addTables, type NewTable } from './tables'

/** A change of one table or one column, as a step of a write. */
export type StructureAction =
  | { readonly kind: 'add_table'; readonly table: NewTable }
  | { readonly kind: 'rename_table'; readonly tableId: string; readonly to: string }
  | { readonly kind: 'remove_table'; readonly tableId: string }
  | { readonly kind: 'add_column'; readonly tableId: string; readonly column: NewColumn }
  | {
      readonly kind: 'update_column' | 'rename_column'
      readonly tableId: string
      readonly colId: string
      readonly change: ColumnChange
    }
  | { readonly kind: 'remove_column'; readonly tableId: string; readonly colId: string }

/** The table or column that an action has added or changed, since its id is chosen when the action runs. */
export interface StructureResult {
  readonly table?: Table
  readonly column?: Column
}

/**
 * Applies one change of a table or a column. Throws `not_found` for an unknown table or column, `invalid` for
 * what cannot be added or changed, `too_large` when the log cannot keep what the change replaces.
 */
export function applyStructureAction(
  doc: DocumentWriter,
  action: StructureAction,
): StructureResult {
  switch (action.kind) {
    case 'add_table': {
      const [tableId = ''] = addTables(doc, [action.table])
      return { table: doc.schema.get(tableId) }
    }
    case 'rename_table': {
      const { ref } = doc.schema.getWritable(action.tableId)
      updateTables(doc, [{ id: action.tableId, change: { tableId: action.to } }])
      return { table: doc.schema.findByRef(ref) }
    }
    case 'remove_table':
      removeTables(doc, [doc.schema.getWritable(action.tableId).ref])
      return {}
    case 'add_column': {
      const { ref } = doc.schema.getWritable(action.tableId)
      const [colId = ''] = addColumns(doc, action.tableId, [action.column])
      return { column: doc.schema.findByRef(ref)?.byId.get(colId) }
    }
    case 'update_column':
    case 'rename_column': {
      const { tableId, colId, change } = action
      const columnRef = doc.schema.getWritable(tableId).byId.get(colId)?.ref
      updateColumns(doc, tableId, [{ id: colId, change }])
      const { columns } = doc.schema.get(tableId)
      return { column: columns.find(({ ref }) => ref === columnRef) }
    }
    case 'remove_column':
      removeColumn(doc, action.tableId, action.colId)
      return {}
  }
}
