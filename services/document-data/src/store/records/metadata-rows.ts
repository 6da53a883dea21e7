import { AppError } from '@sheaf/kit/errors'
import { shorten } from '@sheaf/kit/truncate-text'
import type { Cell } from '../../values/column-type'
import { applyChanges, type AppliedChange, type ColumnChange } from '../structure/column-changes'
import type { ColumnMetadata } from '../schema/column-metadata'
import { removeColumns } from '../structure/column-removal'
import type { DocumentWriter } from '../document'
import { findMetadataColumns } from '../schema/metadata-tables'
import type { Column, Table } from '../schema/schema'
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

/** Reads a cell; undefined when its value does not fit its column. */
type Reader<T> = (cell: Cell) => T | undefined
type Readers<T> = { readonly [key in keyof T]-?: Reader<NonNullable<T[key]> | null> }

const text: Reader<string> = (cell) => (typeof cell === 'string' ? cell : undefined)
const truth: Reader<boolean> = (cell) =>
  typeof cell === 'boolean' || cell === 0 || cell === 1 ? Boolean(cell) : undefined
const ref: Reader<number> = (cell) => (isRef(cell) ? cell : undefined)
const refs: Reader<string | null> = (cell) => {
  if (cell === null) return null
  const [code, ...items] = Array.isArray(cell) ? cell : []
  if (code !== 'L' || !items.every(isRef)) return undefined
  return items.length === 0 ? null : JSON.stringify(items)
}

function isRef(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0
}

const tableReaders = { tableId: text, onDemand: truth }

const columnReaders: Readers<ColumnMetadata> = {
  colId: text,
  parentPos: (cell) => (typeof cell === 'number' && Number.isFinite(cell) ? cell : undefined),
  type: text,
  widgetOptions: text,
  isFormula: truth,
  formula: text,
  label: text,
  description: text,
  untieColIdFromLabel: truth,
  displayCol: ref,
  visibleCol: ref,
  rules: refs,
  recalcWhen: (cell) => (cell === 0 || cell === 1 || cell === 2 ? cell : undefined),
  recalcDeps: refs,
}

function readRow(
  cells: CellColumns,
  row: number,
  readers: Readonly<Record<string, Reader<unknown>>>,
): object {
  const values: Record<string, unknown> = {}
  for (const [field, list] of cells) {
    const read = Object.hasOwn(readers, field) ? readers[field] : undefined
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
