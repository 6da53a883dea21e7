import { AppError } from '@sheaf/kit/errors'
import { tableIdFor } from '../../identifiers'
import type { DocumentReader, DocumentWriter } from '../document'
import { targetsOf } from '../schema/reference-targets'
import { nextRef } from '../schema/refs'
import type { Table } from '../schema/schema'
import { describeNewColumns, planColumns, type NewColumn } from './columns'
import { storeTable } from './stored-tables'

/** Maximum columns of all tables that one request creates. */
const MAX_NEW_COLUMNS = 5_000

/** A table to create. */
export interface NewTable {
  /** Requested id; absent or empty to take the next free one. */
  readonly id?: string
  readonly columns: readonly NewColumn[]
}

/** The user tables by ref. */
export function listTables(doc: DocumentReader): readonly Table[] {
  return doc.schema.tables
}

/**
 * Creates tables with their columns and returns their ids. Throws `invalid` for a bad column, or too many of
 * them.
 */
export function addTables(doc: DocumentWriter, tables: readonly NewTable[]): string[] {
  requireFewColumns(tables)
  const taken = new Set(doc.schema.tables.map(({ tableId }) => tableId.toLowerCase()))
  const made = tables.map((table) => {
    const tableId = tableIdFor(table.id ?? '', taken)
    taken.add(tableId.toLowerCase())
    addTable(doc, tableId, table.columns)
    return tableId
  })
  doc.schemaChanged()
  return made
}

/** Throws `invalid` when these tables, the new ones of one request, have too many columns together. */
export function requireFewColumns(tables: readonly NewTable[]): void {
  if (tables.reduce((sum, { columns }) => sum + columns.length, 0) > MAX_NEW_COLUMNS)
    throw new AppError(
      'invalid',
      'TOO_MANY_COLUMNS',
      `the tables of a request must not have more than ${MAX_NEW_COLUMNS} columns together`,
    )
}

function addTable(doc: DocumentWriter, tableId: string, wished: readonly NewColumn[]): void {
  const tableRef = nextRef(doc.connection, 'table')
  const manualSort: NewColumn = {
    id: 'manualSort',
    fields: { type: 'ManualSortPos', isFormula: false },
  }
  const sorting = planColumns(doc, new Set(), [manualSort])
  const columns = planColumns(doc, new Set(['manualsort']), wished)
  const described = describeNewColumns(doc, [...sorting, ...columns])
  storeTable(doc, tableRef, { tableId, columns: described })
  doc.record({
    kind: 'add_table',
    table: tableId,
    tableRef,
    column: '',
    columnRef: 0,
    new: { tableId, columns: described },
    targets: targetsOf(
      doc.schema,
      described.map(({ type }) => type),
    ),
  })
}
