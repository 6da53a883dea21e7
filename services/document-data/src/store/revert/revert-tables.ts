import { quoteId } from '../../quoting/quote'
import { columnMetadata, laterMetadata, wholeMetadata } from '../schema/column-metadata'
import type { DescribedColumn } from '../structure/columns'
import type { SchemaOperation } from '../log/log'
import { targetsOf } from '../schema/reference-targets'
import type { Column, Table } from '../schema/schema'
import { describeViews, storeTable, type DescribedTable } from '../structure/stored-tables'
import { removeTable } from '../structure/table-removal'
import { changeTable } from '../structure/table-updates'
import { isSameView } from '../views/view-rows'
import type { RevertContext } from './revert-context'

/** Maximum number of rows that a conflict names. */
const MAX_ROWS = 1000

/** Removes an added table, when it is unchanged and has no rows. */
export function undoAddedTable(context: RevertContext, operation: SchemaOperation): void {
  const { doc, conflicts } = context
  const table = context.requireTable(operation)
  const made = operation.new as DescribedTable
  if (table.tableId !== made.tableId || table.onDemand !== (made.onDemand ?? false))
    conflicts.addTable(table.tableId)
  const described = new Map(made.columns.map((column) => [column.colRef, column]))
  for (const column of table.columns) {
    const first = described.get(column.ref)
    described.delete(column.ref)
    if (!first || !isSameColumn(context, column, first, operation))
      conflicts.addColumn(table.tableId, column.id)
  }
  for (const { colId } of described.values()) conflicts.addColumn(table.tableId, colId)
  if (!hasSameViews(describeViews(doc, table), made)) conflicts.addTable(table.tableId)
  const rows = doc.connection
    .pluck<number>(`SELECT id FROM ${quoteId(table.tableId)} ORDER BY id LIMIT ${MAX_ROWS}`)
    .all()
  conflicts.addRows(table.tableId, rows)
  conflicts.requireNone()
  removeTable(doc, table)
  doc.schemaChanged()
  context.tableGone(table)
}

function hasSameViews(now: ViewsOf, made: ViewsOf): boolean {
  const { views = [] } = made
  return (
    (now.views ?? []).length === views.length &&
    views.every((view, i) => {
      const other = now.views?.[i]
      return other !== undefined && isSameView(view, other)
    })
  )
}

type ViewsOf = Pick<DescribedTable, 'views'>

/** True when a column is unchanged since its creation, as far as that was logged. */
export function isSameColumn(
  context: RevertContext,
  column: Column,
  made: Partial<DescribedColumn>,
  { targets }: SchemaOperation,
): boolean {
  const { type, ...rest } = { ...wholeMetadata(column), colRef: column.ref }
  if (made.type !== undefined && !context.isSameType(made.type, type, targets)) return false
  return (Object.keys(rest) as (keyof typeof rest)[]).every(
    (key) => made[key] === undefined || made[key] === rest[key],
  )
}

/** Restores a removed table, with its refs; its rows were removed by an earlier operation. */
export function undoRemovedTable(context: RevertContext, operation: SchemaOperation): void {
  const { doc, conflicts } = context
  const { tableRef, targets } = operation
  const gone = operation.old as DescribedTable
  const { tableId } = gone
  const lower = tableId.toLowerCase()
  const holder = doc.schema.tables.find((table) => table.tableId.toLowerCase() === lower)
  if (holder) conflicts.addTable(holder.tableId)
  if (doc.schema.findByRef(tableRef)) conflicts.addTable(tableId)
  const columns = gone.columns.map((column) => {
    const whole = { ...laterMetadata, ...column }
    return { ...whole, type: context.typeOf(whole.type, targets) ?? whole.type }
  })
  conflicts.requireNone()
  makeTable(context, tableRef, { ...gone, columns })
}

function makeTable({ doc }: RevertContext, tableRef: number, described: DescribedTable): void {
  const { tableId, columns } = described
  storeTable(doc, tableRef, described)
  doc.schemaChanged()
  doc.record({
    kind: 'add_table',
    table: tableId,
    tableRef,
    column: '',
    columnRef: 0,
    new: described,
    targets: targetsOf(
      doc.schema,
      columns.map(({ type }) => type),
    ),
  })
}

/** Records that the columns of a table are restored, once all of them exist. */
export function noteColumns(context: RevertContext, table: Table | undefined): void {
  for (const column of table?.columns ?? [])
    context.columnRestored(table as Table, columnMetadata(column))
}

/** Restores the metadata of a table. */
export function undoUpdatedTable(context: RevertContext, operation: SchemaOperation): void {
  const { doc, conflicts } = context
  const table = context.requireTable(operation)
  const before = operation.old as DescribedTable
  const after = operation.new as DescribedTable
  const onDemand = before.onDemand ?? false
  if (table.tableId !== after.tableId || table.onDemand !== (after.onDemand ?? false))
    conflicts.addTable(table.tableId)
  const lower = before.tableId.toLowerCase()
  const holder = doc.schema.tables.find(
    ({ ref, tableId }) => ref !== table.ref && tableId.toLowerCase() === lower,
  )
  if (holder) conflicts.addTable(holder.tableId)
  conflicts.requireNone()
  // What followed the change is restored with it; only what was added later must follow now.
  changeTable(doc, table, { tableId: before.tableId, onDemand }, !context.isLatest)
  context.renamed.add(before.tableId)
}
