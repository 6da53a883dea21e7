import type { SchemaOperation } from '../log/log'
import { wholeMetadata } from '../schema/column-metadata'
import type { Column, Table } from '../schema/schema'
import { pairColumns, type TablePair } from './table-pairs'

/** The differences of a table and its columns, in the form of the log: metadata of changed ones where they differ. */
export function structureDifferences({ ref, before, after }: TablePair): SchemaOperation[] {
  // Metadata tables are the same at every moment.
  if (ref <= 0) return []
  if (before && after)
    return [...tableDifference(before, after), ...columnDifferences(before, after)]
  if (after) return [{ kind: 'add_table', ...placeOf(after), new: describeTable(after) }]
  return before ? [{ kind: 'remove_table', ...placeOf(before), old: describeTable(before) }] : []
}

function placeOf({ tableId: table, ref: tableRef }: Table, column?: Column) {
  return { table, tableRef, column: column?.id ?? '', columnRef: column?.ref ?? 0 }
}

function tableDifference(before: Table, after: Table): SchemaOperation[] {
  const changed = changedFields(tableMetadata(before), tableMetadata(after))
  return changed ? [{ kind: 'update_table', ...placeOf(before), ...changed }] : []
}

/** Changes of tables come first, so that the table has its later id in what follows. */
function columnDifferences(before: Table, after: Table): SchemaOperation[] {
  const kept = new Set<number>()
  const operations: SchemaOperation[] = []
  for (const { before: old, after: column } of pairColumns(before, after)) {
    const metadata = wholeMetadata(column)
    if (!old) {
      const described = { colRef: column.ref, ...metadata }
      operations.push({ kind: 'add_column', ...placeOf(after, column), new: described })
      continue
    }
    kept.add(old.ref)
    const changed = changedFields(wholeMetadata(old), metadata)
    if (changed) operations.push({ kind: 'update_column', ...placeOf(after, old), ...changed })
  }
  const removed = before.columns.filter(({ ref }) => !kept.has(ref))
  return [
    ...removed.map((column): SchemaOperation => {
      return { kind: 'remove_column', ...placeOf(after, column), old: wholeMetadata(column) }
    }),
    ...operations,
  ]
}

function tableMetadata(table: Table) {
  const { tableId, onDemand, primaryViewId, summarySourceTable } = table
  const { rawViewSectionRef, recordCardViewSectionRef } = table
  return {
    tableId,
    onDemand,
    primaryViewId,
    summarySourceTable,
    rawViewSectionRef,
    recordCardViewSectionRef,
  }
}

function describeTable(table: Table): object {
  const columns = table.columns.map((column) => ({ colRef: column.ref, ...wholeMetadata(column) }))
  return { ...tableMetadata(table), columns }
}

/** The fields with different values, before and after; undefined when there are none. */
function changedFields<T extends object>(before: T, after: T) {
  const later = new Map(Object.entries(after))
  const changed = Object.entries(before).filter(([name, value]) => later.get(name) !== value)
  if (changed.length === 0) return undefined
  return {
    old: Object.fromEntries(changed),
    new: Object.fromEntries(changed.map(([name]) => [name, later.get(name)])),
  }
}
