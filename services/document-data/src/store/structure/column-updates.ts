import type { DocumentWriter } from '../document'
import type { Column, Table } from '../schema/schema'
import { columnNotFound } from '../schema/unknown-names'
import { applyChanges, type ColumnChange } from './column-changes'
import { removeColumns } from './column-removal'
import { addColumns, type NewColumn } from './columns'

/** A column by id, and its changes. */
export interface ColumnUpdate {
  readonly id: string
  readonly change: ColumnChange
}

/**
 * Changes columns. A new label renames the column unless the two are untied; a new type converts the cells.
 * Throws `not_found` for the table or a column, `invalid` for what cannot be changed.
 */
export function updateColumns(
  doc: DocumentWriter,
  tableId: string,
  updates: readonly ColumnUpdate[],
): void {
  const table = doc.schema.getWritable(tableId)
  applyChanges(
    doc,
    table,
    updates.map(({ id, change }) => ({ column: requireColumn(table, id), change })),
  )
}

/** A column to ensure: how to change it, or how to create it. */
export interface ColumnWish extends ColumnUpdate {
  readonly make: NewColumn
}

/** Options of adding or updating columns. */
export interface AddOrUpdateOptions {
  readonly noAdd: boolean
  readonly noUpdate: boolean
  /** True to remove the columns that are neither hidden nor named. */
  readonly replaceAll: boolean
}

/** Changes the columns that exist and adds the others. Throws as `updateColumns` and `addColumns` do. */
export function addOrUpdateColumns(
  doc: DocumentWriter,
  tableId: string,
  wishes: readonly ColumnWish[],
  { noAdd, noUpdate, replaceAll }: AddOrUpdateOptions,
): void {
  const table = doc.schema.getWritable(tableId)
  const named = new Set(wishes.map(({ id }) => id))
  const added = noAdd ? [] : wishes.filter(({ id }) => !table.byId.has(id))
  const updated = noUpdate ? [] : wishes.filter(({ id }) => table.byId.has(id))
  if (replaceAll) {
    const gone = table.columns.filter(({ id, hidden }) => !hidden && !named.has(id))
    removeColumns(doc, table, gone)
  }
  if (updated.length > 0) updateColumns(doc, table.tableId, updated)
  if (added.length > 0)
    addColumns(
      doc,
      table.tableId,
      added.map(({ make }) => make),
    )
}

function requireColumn(table: Table, id: string): Column {
  const column = table.byId.get(id)
  if (!column) throw columnNotFound(id, table)
  return column
}
