import { AppError } from '@sheaf/kit/errors'
import type { NearMiss } from '@sheaf/kit/near-miss'
import { shorten } from '@sheaf/kit/truncate-text'
import { nearColumn } from '../../query/table-shape'
import { redoTogether } from '../log/log'
import { wholeMetadata } from '../schema/column-metadata'
import type { DocumentWriter } from '../document'
import { targetsOf } from '../schema/reference-targets'
import { retireRef } from '../schema/refs'
import type { Column, Table } from '../schema/schema'
import { nearTable } from '../schema/unknown-names'
import { applyChanges, requireOwn, type ColumnChange } from './column-changes'
import { readCells, requireKeepable } from './column-cells'
import { dropStoredColumns, storedForm } from './storage-layout'

/** Removes a column with its cells. Throws `not_found` for the table or the column. */
export function removeColumn(doc: DocumentWriter, tableId: string, colId: string): void {
  if (doc.schema.find(tableId) === undefined && !/^_grist_/.test(tableId))
    throw notFound(tableId, colId, nearTable(tableId, doc.schema.tables))
  const table = doc.schema.getWritable(tableId)
  const column = table.byId.get(colId)
  if (!column) throw notFound(tableId, colId, nearColumn(colId, table))
  removeColumns(doc, table, [column])
}

/** An invalid column name is a different error than an unknown one. */
function notFound(tableId: string, colId: string, { hint, details }: NearMiss): AppError {
  return /^\w*$/.test(colId)
    ? new AppError(
        'not_found',
        'COLUMN_NOT_FOUND',
        `Table or column not found "${shorten(tableId)}.${shorten(colId)}"${hint}`,
        details,
      )
    : new AppError(
        'invalid',
        'INVALID_IDENTIFIER',
        `"${shorten(colId)}" is not a valid column id${hint}`,
        details,
      )
}

/** Removes columns of one table with their cells, and references to them in the metadata of other columns. */
export function removeColumns(doc: DocumentWriter, table: Table, columns: readonly Column[]): void {
  if (columns.length === 0) return
  dropColumns(doc, table, columns)
  forgetColumns(doc, new Set(columns.map(({ ref }) => ref)))
}

/** Removes columns of one table with their cells; references to them are unchanged. */
export function dropColumns(doc: DocumentWriter, table: Table, columns: readonly Column[]): void {
  columns.forEach(requireOwn)
  requireKeepable(
    doc,
    table,
    columns.map(({ id }) => id),
  )
  columns.forEach((column, index) => {
    const cells = readCells(doc, table, column.id)
    doc.record({
      kind: 'remove_column',
      table: table.tableId,
      tableRef: table.ref,
      column: column.id,
      columnRef: column.ref,
      old: wholeMetadata(column),
      cells,
      targets: targetsOf(doc.schema, [column.typeName]),
      redo: redoTogether(index, columns.length),
    })
  })
  eraseColumns(doc, table, columns)
}

/** Removes columns of one table with their cells and metadata. Not recorded. */
export function eraseColumns(doc: DocumentWriter, table: Table, columns: readonly Column[]): void {
  const gone = new Set(columns)
  const kept = table.columns.filter((column) => !gone.has(column))
  for (const { ref } of columns) {
    retireRef(doc.connection, 'column', ref)
    doc.connection.prepare('DELETE FROM _grist_Tables_column WHERE id = ?').run(ref)
  }
  dropStoredColumns(doc, table, columns, kept.map(storedForm))
  doc.schemaChanged()
}

/** Removes refs of deleted columns from the metadata of all others. */
export function forgetColumns(doc: DocumentWriter, gone: ReadonlySet<number>): void {
  for (const table of doc.schema.tables) {
    const changes = table.columns.flatMap((column) => {
      const change = withoutRefs(column, gone)
      return change ? [{ column, change }] : []
    })
    if (changes.length > 0) applyChanges(doc, table, changes)
  }
}

function withoutRefs(column: Column, gone: ReadonlySet<number>): ColumnChange | undefined {
  const { visibleCol, displayCol, rules, recalcDeps } = column
  const change: ColumnChange = {
    visibleCol: gone.has(visibleCol) ? 0 : visibleCol,
    displayCol: gone.has(displayCol) ? 0 : displayCol,
    rules: withoutItems(rules, gone),
    recalcDeps: withoutItems(recalcDeps, gone),
  }
  const before = { visibleCol, displayCol, rules, recalcDeps }
  const keys = Object.keys(before) as (keyof typeof before)[]
  return keys.some((key) => change[key] !== before[key]) ? change : undefined
}

function withoutItems(list: string | null, gone: ReadonlySet<number>): string | null {
  if (list === null) return null
  const refs = JSON.parse(list) as number[]
  const left = refs.filter((ref) => !gone.has(ref))
  if (left.length === refs.length) return list
  return left.length === 0 ? null : JSON.stringify(left)
}
