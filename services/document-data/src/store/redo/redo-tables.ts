import { randomUUID } from 'node:crypto'
import type { DocumentWriter } from '../document'
import { LOG_FORMAT, type LoggedDocument, type SchemaOperation } from '../log/log'
import { storeFirstState } from '../log/publish-state'
import { storeSettings } from '../schema/settings'
import {
  dropTable,
  storeTable,
  storeTableForm,
  type DescribedTable,
  type TableForm,
} from '../structure/stored-tables'
import { RedoError, requireTable } from './redo-error'

/** Adds, changes or removes a table. */
export function redoTable(doc: DocumentWriter, operation: SchemaOperation): void {
  const { kind, tableRef, redo } = operation
  if (kind === 'add_table') {
    if (redo?.document) beginDocument(doc, redo.document)
    storeTable(doc, tableRef, operation.new as DescribedTable)
  } else {
    const table = requireTable(doc, operation)
    if (kind === 'update_table') storeTableForm(doc, table, operation.new as TableForm)
    else dropTable(doc, table)
  }
  doc.schemaChanged()
}

function beginDocument({ connection }: DocumentWriter, document: LoggedDocument): void {
  if (document.format > LOG_FORMAT)
    throw new RedoError(`the log has format ${document.format}, which is newer than ${LOG_FORMAT}`)
  storeSettings(connection, document)
  storeFirstState(connection, document.epoch ?? randomUUID())
}
