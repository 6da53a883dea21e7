import { idsText } from '../../values/convert-value'
import { quoteId } from '../../quoting/quote'
import { wholeMetadata } from '../schema/column-metadata'
import type { DocumentWriter } from '../document'
import type { LogValue } from '../log/log'
import { targetsOf } from '../schema/reference-targets'
import type { Column, Table } from '../schema/schema'
import { forgetColumns } from './column-removal'
import { applyChanges, type AppliedChange } from './column-changes'
import { isComputed, requireKeepable } from './column-cells'
import { describeViews, dropTable } from './stored-tables'

/**
 * Removes tables with their rows, by ref; unknown refs are ignored. References to a row become its number;
 * lists of references become their numbers as text; formula columns of both become columns of any values.
 */
export function removeTables(doc: DocumentWriter, refs: readonly number[]): void {
  const gone = [...new Set(refs)].flatMap((ref) => doc.schema.findByRef(ref) ?? [])
  if (gone.length === 0) return
  for (const table of gone) removeTable(doc, table)
  doc.schemaChanged()
  for (const { tableId } of gone) releaseReferences(doc, tableId)
  forgetColumns(doc, new Set(gone.flatMap(({ columns }) => columns.map(({ ref }) => ref))))
}

/**
 * Removes a table with its rows; references to it are unchanged. The caller must call `schemaChanged`
 * afterwards.
 */
export function removeTable(doc: DocumentWriter, table: Table): void {
  const { ref, tableId, columns, onDemand } = table
  const { primaryViewId, summarySourceTable, rawViewSectionRef, recordCardViewSectionRef } = table
  const views = { primaryViewId, summarySourceTable, rawViewSectionRef, recordCardViewSectionRef }
  recordRows(doc, table)
  const kept = describeViews(doc, table)
  dropTable(doc, table)
  const described = columns.map((column) => ({ colRef: column.ref, ...wholeMetadata(column) }))
  doc.record({
    kind: 'remove_table',
    table: tableId,
    tableRef: ref,
    column: '',
    columnRef: 0,
    old: { tableId, onDemand, ...views, columns: described, ...kept },
    targets: targetsOf(
      doc.schema,
      columns.map(({ typeName }) => typeName),
    ),
  })
}

function recordRows(doc: DocumentWriter, table: Table): void {
  const ids = table.columns.map(({ id }) => id)
  requireKeepable(doc, table, ids)
  const names = ['id', ...ids].map(quoteId).join(', ')
  const rows = doc.connection
    .raw<[number, ...LogValue[]]>(`SELECT ${names} FROM ${quoteId(table.tableId)} ORDER BY id`)
    .all()
  if (rows.length === 0) return
  doc.record({
    kind: 'remove_rows',
    table: table.tableId,
    tableRef: table.ref,
    rowIds: rows.map(([id]) => id),
    columns: table.columns.map(({ id, ref, typeName }, i) => ({
      id,
      ref,
      type: typeName,
      old: rows.map((row) => row[i + 1] ?? null),
    })),
  })
}

/** Columns that referred to rows of a removed table. */
function releaseReferences(doc: DocumentWriter, tableId: string): void {
  for (const table of doc.schema.tables) {
    const changes = table.columns.flatMap((column) => {
      const change = column.type.argument === tableId ? releaseColumn(column) : undefined
      return change ? [change] : []
    })
    if (changes.length > 0) applyChanges(doc, table, changes)
  }
}

function releaseColumn(column: Column): AppliedChange | undefined {
  const { type, isFormula } = column
  const isReference = type.name === 'Ref' || type.name === 'RefList'
  if (isReference && isComputed(column)) return { column, change: { type: 'Any', visibleCol: 0 } }
  if (type.name === 'Ref') return { column, change: { type: 'Int', visibleCol: 0 } }
  if (type.name !== 'RefList') return undefined
  const change = { type: 'Text', visibleCol: 0 }
  // The text form of a list has brackets; clients see only the numbers.
  return isFormula
    ? { column, change }
    : { column, change, convert: (value) => idsText(value, type) }
}
