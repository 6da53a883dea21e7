import { quoteId } from '../../quoting/quote'
import type { DocumentReader, DocumentWriter } from '../document'
import { dropTableOrders } from '../indexes/kept-orders'
import { retireRef } from '../schema/refs'
import type { Table } from '../schema/schema'
import { columnDefinition } from '../sqlite/column-definition'
import { eraseViews, insertViews, readTableViews, type ViewRow } from '../views/view-rows'
import { describedForm, insertColumnRows, type DescribedColumn } from './columns'
import { renameStoredTable } from './storage-layout'

/*
 * Tables in the file: what a write and its redo have in common. Nothing here is recorded.
 */

/** A table in the form of the log. */
export interface DescribedTable {
  readonly tableId: string
  readonly onDemand?: boolean
  readonly primaryViewId?: number
  readonly summarySourceTable?: number
  readonly rawViewSectionRef?: number
  readonly recordCardViewSectionRef?: number
  readonly columns: readonly DescribedColumn[]
  /** Absent when there are none. */
  readonly views?: readonly ViewRow[]
}

/** The changeable metadata of a table. */
export interface TableForm {
  readonly tableId: string
  readonly onDemand: boolean
}

/** Creates a table without rows, with its views. The caller must call `schemaChanged` afterwards. */
export function storeTable(doc: DocumentWriter, tableRef: number, table: DescribedTable): void {
  const { connection } = doc
  const { tableId, columns, views = [], ...facts } = table
  const { onDemand = false, primaryViewId = 0, summarySourceTable = 0 } = facts
  const { rawViewSectionRef = 0, recordCardViewSectionRef = 0 } = facts
  connection
    .prepare(
      `INSERT INTO _grist_Tables (id, tableId, onDemand, primaryViewId, summarySourceTable, rawViewSectionRef,
         recordCardViewSectionRef) VALUES (?, ?, ?, ?, ?, ?, ?)`,
    )
    .run(
      ...[tableRef, tableId, Number(onDemand), primaryViewId, summarySourceTable],
      ...[rawViewSectionRef, recordCardViewSectionRef],
    )
  const definitions = columns.map((column) => columnDefinition(describedForm(column)))
  connection.db.exec(
    `CREATE TABLE ${quoteId(tableId)} (${['"id" INTEGER PRIMARY KEY', ...definitions].join(', ')})`,
  )
  insertColumnRows(doc, tableRef, columns)
  insertViews(connection, views)
}

/** Renames a table and changes its metadata. */
export function storeTableForm(doc: DocumentWriter, table: Table, after: TableForm): void {
  if (after.tableId !== table.tableId) renameStoredTable(doc, table.tableId, after.tableId)
  doc.connection
    .prepare('UPDATE _grist_Tables SET tableId = ?, onDemand = ? WHERE id = ?')
    .run(after.tableId, Number(after.onDemand), table.ref)
}

/** The views of a table in the form of the log, if it has any. */
export function describeViews(
  { connection, schema }: DocumentReader,
  { ref }: Pick<Table, 'ref'>,
): Pick<DescribedTable, 'views'> {
  const views = schema.hasViews ? readTableViews(connection, ref) : []
  return views.length > 0 ? { views } : {}
}

/** Removes a table with its rows, views and metadata. The caller must call `schemaChanged` afterwards. */
export function dropTable(doc: DocumentWriter, table: Table): void {
  const { connection } = doc
  const { ref, tableId, columns } = table
  const { views = [] } = describeViews(doc, table)
  eraseViews(
    connection,
    views.map(({ id }) => id),
  )
  dropTableOrders(connection, ref)
  // Dropping the table also drops its automatic indexes.
  connection.db.exec(`DROP TABLE ${quoteId(tableId)}`)
  retireRef(connection, 'table', ref)
  for (const column of columns) retireRef(connection, 'column', column.ref)
  connection.prepare('DELETE FROM _grist_Tables_column WHERE parentId = ?').run(ref)
  connection.prepare('DELETE FROM _grist_Tables WHERE id = ?').run(ref)
  connection.prepare('DELETE FROM _sheaf_tables WHERE table_ref = ?').run(ref)
}
