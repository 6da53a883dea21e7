import { AppError } from '@sheaf/kit/errors'
import { shorten } from '@sheaf/kit/truncate-text'
import { applyChanges, type AppliedChange, type ColumnChange } from '../structure/column-changes'
import { removeColumns } from '../structure/column-removal'
import type { DocumentWriter } from '../document'
import { findMetadataColumns } from '../schema/metadata-tables'
import type { Column, Table } from '../schema/schema'
import {
  columnReaders,
  readerOf,
  tableReaders,
  type FieldReader,
} from '../structure/metadata-fields'
import { removeTables } from '../structure/table-removal'
import { updateTables } from '../structure/table-updates'
import type { CellColumns } from './conversion'

/*
 * Rows of `_grist_Tables` and `_grist_Tables_column` describe tables and columns: changing or removing such a
 * row changes or removes the table or column, by the same rules. No other metadata can be written as records.
 */

/** True for a table of metadata. */
export function isMetadataTable(tableId: string): boolean {
  return findMetadataColumns(tableId) !== undefined
}

/** Removes the tables or columns that these rows describe; unknown row ids are ignored. */
export function removeMetadataRows(
  doc: DocumentWriter,
  tableId: string,
  rowIds: readonly number[],
): void {
  if (tableId === '_grist_Tables') return removeTables(doc, rowIds)
  if (tableId !== '_grist_Tables_column') throw readOnly(tableId)
  const gone = new Set(rowIds)
  for (const { ref } of doc.schema.tables) {
    // References to a removed column have changed with it.
    const table = doc.schema.findByRef(ref)
    const columns = table?.columns.filter((column) => gone.has(column.ref)) ?? []
    if (table) removeColumns(doc, table, columns)
  }
}

/** Throws `invalid`: a row alone does not say all that a new table or column needs. */
export function refuseMetadataRows(tableId: string): never {
  const action = addedBy.get(tableId)
  if (!action) throw readOnly(tableId)
  throw new AppError(
    'invalid',
    'TABLE_READ_ONLY',
    `rows of "${tableId}" cannot be added: use the action ${action}`,
  )
}

const addedBy = new Map([
  ['_grist_Tables', 'AddTable'],
  ['_grist_Tables_column', 'AddColumn'],
])

/** Changes the tables or columns that these rows describe. Throws `invalid` for an unknown row. */
export function updateMetadataRows(
  doc: DocumentWriter,
  tableId: string,
  rows: { readonly rowIds: readonly number[]; readonly cells: CellColumns },
): void {
  if (tableId === '_grist_Tables') updateTableRows(doc, rows)
  else if (tableId === '_grist_Tables_column') updateColumnRows(doc, rows)
  else throw readOnly(tableId)
}

interface Rows {
  readonly rowIds: readonly number[]
  readonly cells: CellColumns
}

function updateTableRows(doc: DocumentWriter, rows: Rows): void {
  const updates = rows.rowIds.map((ref, row) => {
    if (!doc.schema.findByRef(ref)) throw noRow(ref)
    return { id: String(ref), change: readRow(rows.cells, row, tableReaders) }
  })
  updateTables(doc, updates)
}

function updateColumnRows(doc: DocumentWriter, rows: Rows): void {
  const owners = new Map<number, { readonly table: Table; readonly column: Column }>()
  for (const table of doc.schema.tables)
    for (const column of table.columns) owners.set(column.ref, { table, column })
  const changes = new Map<Table, AppliedChange[]>()
  rows.rowIds.forEach((ref, row) => {
    const owner = owners.get(ref)
    if (!owner) throw noRow(ref)
    const change: ColumnChange = readRow(rows.cells, row, columnReaders)
    const known = changes.get(owner.table)
    if (known) known.push({ column: owner.column, change })
    else changes.set(owner.table, [{ column: owner.column, change }])
  })
  for (const [table, list] of changes) applyChanges(doc, table, list)
}

function readRow(
  cells: CellColumns,
  row: number,
  readers: Readonly<Record<string, FieldReader<unknown>>>,
): object {
  const values: Record<string, unknown> = {}
  for (const [field, list] of cells) {
    const read = readerOf(readers, field)
    if (!read) throw new AppError('invalid', 'INVALID_COLUMN', `Invalid column "${shorten(field)}"`)
    const value = read(list[row] ?? null)
    if (value === undefined)
      throw new AppError('invalid', 'INVALID_VALUE', `invalid value for "${field}"`)
    values[field] = value
  }
  return values
}

function noRow(id: number): AppError {
  return new AppError('invalid', 'INVALID_ROW_ID', `Invalid row id ${id}`)
}

function readOnly(tableId: string): AppError {
  return new AppError(
    'invalid',
    'TABLE_READ_ONLY',
    `table "${tableId}" cannot be written as records`,
  )
}
