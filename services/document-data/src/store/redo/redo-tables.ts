import type { DocumentWriter } from '../document'
import type { SchemaOperation } from '../log/log'
import { storeSettings } from '../schema/settings'
import {
  dropTable,
  storeTable,
  storeTableForm,
  type DescribedTable,
  type TableForm,
} from '../structure/stored-tables'
import { requireTable } from './redo-error'

/** Adds, changes or removes a table. */
export function redoTable(doc: DocumentWriter, operation: SchemaOperation): void {
  const { kind, tableRef, redo } = operation
  if (kind === 'add_table') {
    if (redo?.document) storeSettings(doc.connection, redo.document)
    storeTable(doc, tableRef, operation.new as DescribedTable)
  } else {
    const table = requireTable(doc, operation)
    if (kind === 'update_table') storeTableForm(doc, table, operation.new as TableForm)
    else dropTable(doc, table)
  }
  doc.schemaChanged()
}
