import type { DocumentWriter } from '../document'
import { fromLog, type Operation, type SchemaOperation } from '../log/log'
import { columnMetadata, type ColumnMetadata } from '../schema/column-metadata'
import type { Column, Table } from '../schema/schema'
import { fillColumn } from '../structure/column-cells'
import { saveMetadata, storeForms, type Revision } from '../structure/column-changes'
import { eraseColumns } from '../structure/column-removal'
import {
  storeColumns,
  storeDataColumn,
  type DataColumnForm,
  type DescribedColumn,
} from '../structure/columns'
import { RedoError, requireTable } from './redo-error'
import { redoRows } from './redo-rows'

/** Adds columns of one table together. */
export function redoAddedColumns(
  doc: DocumentWriter,
  operations: readonly SchemaOperation[],
): void {
  const [first] = operations
  if (!first) return
  const columns = operations.map((operation) => operation.new as DescribedColumn)
  storeColumns(doc, requireTable(doc, first), columns)
}

/** Removes columns of one table together. */
export function redoRemovedColumns(
  doc: DocumentWriter,
  operations: readonly SchemaOperation[],
): void {
  const [first] = operations
  if (!first) return
  const table = requireTable(doc, first)
  const columns = operations.map((operation) => requireColumn(table, operation))
  eraseColumns(doc, table, columns)
}

/** Changes columns of one table together, and converts their cells. */
export function redoUpdatedColumns(doc: DocumentWriter, step: readonly Operation[]): void {
  const [first] = step
  if (!first) return
  const table = requireTable(doc, first)
  if ('redo' in first && first.redo?.refit) return redoDataColumn(doc, table, step)
  const revisions = step.flatMap((operation) =>
    'rowIds' in operation ? [] : [revisionOf(table, operation)],
  )
  storeForms(doc, table, revisions)
  let next = 0
  for (const operation of step) {
    if ('rowIds' in operation) {
      // The conversion names the new column.
      doc.schemaChanged()
      redoRows(doc, operation)
      continue
    }
    const revision = revisions[next++]
    if (!revision) continue
    saveMetadata(doc, revision)
    const fill = operation.redo?.fill
    if (fill !== undefined) fillColumn(doc, table, revision.after.colId, fromLog(fill))
  }
  doc.schemaChanged()
}

function redoDataColumn(doc: DocumentWriter, table: Table, step: readonly Operation[]): void {
  const [operation] = step
  if (!operation || 'rowIds' in operation) return
  const form = operation.new as DataColumnForm
  storeDataColumn(doc, table, requireColumn(table, operation), form)
}

function revisionOf(
  table: Table,
  operation: SchemaOperation,
): Pick<Revision, 'ref' | 'before' | 'after'> {
  const before = columnMetadata(requireColumn(table, operation))
  const changed = operation.new as Partial<ColumnMetadata>
  return { ref: operation.columnRef, before, after: { ...before, ...changed } }
}

function requireColumn({ columns }: Table, { columnRef, kind }: SchemaOperation): Column {
  const column = columns.find(({ ref }) => ref === columnRef)
  if (!column) throw new RedoError(`${kind}: there is no column with ref ${columnRef}`)
  return column
}
