import { columnType } from '../../values/column-types'
import { quoteId } from '../../quoting/quote'
import { isComputed, requireKeepable } from '../structure/column-cells'
import { columnMetadata, laterMetadata, type WholeMetadata } from '../schema/column-metadata'
import { dropColumns } from '../structure/column-removal'
import {
  MAX_COLUMNS,
  recordAddedColumns,
  storeColumns,
  type DescribedColumn,
} from '../structure/columns'
import { fromLog, logValue, type SchemaOperation } from '../log/log'
import { rewriteCells } from '../structure/rewrite-cells'
import type { Column, Table } from '../schema/schema'
import { isSameColumn } from './revert-tables'
import type { RevertContext } from './revert-context'

/** Maximum number of rows that a conflict names. */
const MAX_ROWS = 1000

/** Removes added columns of one table, when they are unchanged and empty. */
export function undoAddedColumns(
  context: RevertContext,
  operations: readonly SchemaOperation[],
): void {
  const { doc, conflicts } = context
  const [first] = operations
  if (!first) return
  const table = context.requireTable(first)
  const columns = operations.flatMap((operation) => {
    const column = context.findColumn(table, operation)
    if (column && !isSameColumn(context, column, operation.new as DescribedColumn, operation))
      conflicts.addColumn(table.tableId, column.id)
    return column ?? []
  })
  for (const column of columns) conflicts.addRows(table.tableId, findFilled(context, table, column))
  conflicts.requireNone()
  dropColumns(doc, table, columns)
  for (const column of columns) context.columnGone(table, column)
}

/** Rows in which a column holds another value than its initial one. */
function findFilled({ doc }: RevertContext, { tableId }: Table, column: Column): number[] {
  const usual = isComputed(column) ? null : column.type.defaultValue
  return doc.connection
    .pluck<number>(
      `SELECT id FROM ${quoteId(tableId)} WHERE ${quoteId(column.id)} IS NOT ? ORDER BY id LIMIT ${MAX_ROWS}`,
    )
    .all(usual)
}

/** Restores removed columns of one table, with their refs and cells. */
export function undoRemovedColumns(
  context: RevertContext,
  operations: readonly SchemaOperation[],
): void {
  const { doc, conflicts } = context
  const [first] = operations
  if (!first) return
  const table = context.requireTable(first)
  const held = new Map(table.columns.map(({ id }) => [id.toLowerCase(), id]))
  if (held.size + operations.length > MAX_COLUMNS) conflicts.addTable(table.tableId)
  const columns = operations.map((operation): DescribedColumn => {
    const gone = operation.old as WholeMetadata
    const restored = table.columns.find(({ ref }) => ref === operation.columnRef)
    const holder = restored?.id ?? held.get(gone.colId.toLowerCase())
    if (holder !== undefined) conflicts.addColumn(table.tableId, holder)
    conflicts.addRows(table.tableId, findMissing(context, table, operation))
    const type = context.typeOf(gone.type, operation.targets) ?? gone.type
    return { ...laterMetadata, ...gone, type, colRef: operation.columnRef }
  })
  conflicts.requireNone()
  storeColumns(doc, table, columns)
  recordAddedColumns(context.doc, table, columns)
  columns.forEach((column, i) => fill(context, table, column, operations[i]))
  for (const column of doc.schema.findByRef(table.ref)?.columns ?? [])
    if (columns.some(({ colRef }) => colRef === column.ref))
      context.columnRestored(table, columnMetadata(column))
}

/** Rows with a cell in the removed column that have been removed since. */
function findMissing(
  { doc }: RevertContext,
  { tableId }: Table,
  { cells }: SchemaOperation,
): number[] {
  if (!cells || cells.rowIds.length === 0) return []
  return doc.connection
    .pluck<number>(
      `SELECT value FROM json_each(?) WHERE value NOT IN (SELECT id FROM ${quoteId(tableId)}) LIMIT ${MAX_ROWS}`,
    )
    .all(JSON.stringify(cells.rowIds))
}

/** Restores the cells of a restored column; those of rows added later are empty. */
function fill(
  { doc, isLatest }: RevertContext,
  table: Table,
  { colId, colRef, type, isFormula }: DescribedColumn,
  operation: SchemaOperation | undefined,
): void {
  // The cells of such a column follow from its metadata.
  if (isFormula) return
  const { rowIds = [], values = [] } = operation?.cells ?? {}
  const held = new Map(rowIds.map((id, index) => [id, values[index] ?? null]))
  requireKeepable(doc, table, [colId])
  const context = { settings: doc.schema.settings, widgetOptions: {} }
  // The log holds no null cells; the empty value of some types is not null.
  const empty = isLatest ? null : columnType(type).toStored(null, context, { noParse: true })
  const filled = rewriteCells(doc.connection, {
    tableId: table.tableId,
    colId,
    convert: (_, id) => fromLog(held.get(id) ?? null) ?? empty,
  })
  if (filled.rowIds.length === 0) return
  doc.record({
    kind: 'update_rows',
    table: table.tableId,
    tableRef: table.ref,
    rowIds: filled.rowIds,
    columns: [{ id: colId, ref: colRef, type, old: filled.old.map(logValue), new: filled.after }],
  })
}
