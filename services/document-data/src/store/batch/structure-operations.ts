import type { DocumentWriter } from '../document'
import { requireTargets } from '../schema/reference-targets'
import { columnNotFound } from '../schema/unknown-names'
import type { Column, Table } from '../schema/schema'
import { removeColumns } from '../structure/column-removal'
import { updateColumns, type ColumnUpdate } from '../structure/column-updates'
import { addColumns, type NewColumn } from '../structure/columns'
import { removeTables } from '../structure/table-removal'
import { updateTables } from '../structure/table-updates'
import { addTables } from '../structure/tables'
import type { OperationResult, StructureOperation } from './operations'

/** Applies an operation on tables or columns. Throws as the functions of the same names do. */
export function applyToStructure(
  doc: DocumentWriter,
  operation: StructureOperation,
  isStrict: boolean,
): OperationResult {
  switch (operation.op) {
    case 'addTables': {
      const tables = addTables(doc, operation.tables)
      if (isStrict)
        requireColumnTargets(
          doc,
          operation.tables.flatMap(({ columns }) => columns),
        )
      return { tables: tables.map((id) => ({ id })) }
    }
    case 'updateTables': {
      const refs = operation.tables.map(({ id }) => doc.schema.getWritable(id).ref)
      updateTables(doc, operation.tables)
      return { tables: refs.map((ref) => ({ id: doc.schema.findByRef(ref)?.tableId ?? '' })) }
    }
    case 'removeTables':
      removeTables(
        doc,
        operation.tables.map((id) => doc.schema.getWritable(id).ref),
      )
      return { tables: operation.tables.map((id) => ({ id })) }
    case 'addColumns': {
      const columns = addColumns(doc, operation.table, operation.columns)
      if (isStrict) requireColumnTargets(doc, operation.columns)
      return { columns: columns.map((id) => ({ id })) }
    }
    case 'updateColumns':
      return changeColumns(doc, operation.table, operation.columns, isStrict)
    case 'removeColumns': {
      const table = doc.schema.getWritable(operation.table)
      removeColumns(
        doc,
        table,
        operation.columns.map((id) => requireColumn(table, id)),
      )
      return { columns: operation.columns.map((id) => ({ id })) }
    }
  }
}

function changeColumns(
  doc: DocumentWriter,
  tableId: string,
  updates: readonly ColumnUpdate[],
  isStrict: boolean,
): OperationResult {
  const table = doc.schema.getWritable(tableId)
  const refs = updates.map(({ id }) => requireColumn(table, id).ref)
  updateColumns(doc, tableId, updates)
  if (isStrict)
    requireTargets(
      doc.schema,
      updates.map(({ id, change }) => ({ id, type: change.type })),
    )
  const { columns } = doc.schema.get(table.tableId)
  const idOf = (ref: number) => columns.find((column) => column.ref === ref)?.id ?? ''
  return { columns: refs.map((ref) => ({ id: idOf(ref) })) }
}

function requireColumnTargets(doc: DocumentWriter, columns: readonly NewColumn[]): void {
  requireTargets(
    doc.schema,
    columns.map(({ id = '', fields }) => ({ id, type: fields.type })),
  )
}

function requireColumn(table: Table, id: string): Column {
  const column = table.byId.get(id)
  if (!column) throw columnNotFound(id, table)
  return column
}
