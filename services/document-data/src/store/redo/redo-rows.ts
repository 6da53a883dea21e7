import type { StoredValue } from '../../values/column-type'
import { quoteId } from '../../quoting/quote'
import type { DocumentWriter } from '../document'
import { fromLog, type ColumnValues, type RowOperation } from '../log/log'
import type { StoredColumn } from '../records/conversion'
import { writeRows } from '../records/insert-rows'
import { placeBelow } from '../records/manual-sort'
import { deleteRows } from '../records/records'
import type { Table } from '../schema/schema'
import { RedoError, requireTable } from './redo-error'

/** Adds, changes or removes rows of a user table. */
export function redoRows(doc: DocumentWriter, operation: RowOperation): void {
  const table = requireTable(doc, operation)
  const { kind, rowIds } = operation
  if (kind === 'remove_rows') return deleteRows(doc, table, rowIds)
  const byRef = new Map(table.columns.map((column) => [column.ref, column]))
  const stored = operation.columns.map((values) => {
    const column = byRef.get(values.ref)
    if (!column) throw new RedoError(`${kind}: there is no column with ref ${values.ref}`)
    return { column, values: storedValues(values) }
  })
  if (kind === 'add_rows') writeRows(doc, table, rowIds, stored)
  else updateRows(doc, table, operation, stored)
  const positions = stored.find(({ column }) => column.id === 'manualSort')
  if (positions) placeBelow(doc, table, rowIds, positions.values)
}

/** The values after an operation, in stored form. */
export function storedValues({ new: values = [] }: ColumnValues): StoredValue[] {
  return values.map(fromLog)
}

function updateRows(
  { connection }: DocumentWriter,
  { tableId }: Table,
  { rowIds }: RowOperation,
  stored: readonly StoredColumn[],
): void {
  const assignments = stored.map(({ column }) => `${quoteId(column.id)} = ?`).join(', ')
  const update = connection.prepare(`UPDATE ${quoteId(tableId)} SET ${assignments} WHERE id = ?`)
  rowIds.forEach((id, index) => {
    const values = stored.map((column) => column.values[index] ?? null)
    if (update.run([...values, id]).changes !== 1)
      throw new RedoError(`update_rows: table "${tableId}" has no row ${id}`)
  })
}
