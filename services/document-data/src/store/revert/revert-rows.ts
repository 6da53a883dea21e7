import type { StoredValue } from '../../values/column-type'
import { columnType } from '../../values/column-types'
import { quoteId } from '../../quoting/quote'
import { isComputed } from '../structure/column-cells'
import type { StoredColumn } from '../records/conversion'
import { fromLog, logValue, type ColumnValues, type LogValue, type RowOperation } from '../log/log'
import { byRowId, insertRecords, removeRecords, selectRows, writeCells } from '../records/records'
import type { Column, Table } from '../schema/schema'
import type { RevertContext } from './revert-context'

/** Removes added rows, when they are unchanged. */
export function undoAddedRows(context: RevertContext, operation: RowOperation): void {
  const { doc, conflicts } = context
  const table = context.findTable(operation)
  if (!table) return
  const { rowIds } = operation
  const added = new Map(operation.columns.map((column) => [column.ref, column]))
  const rows = selectRows(doc, table, table.columns, rowIds)
  const byId = byRowId(rows)
  const changed = rowIds.filter((id, index) => {
    const row = byId.get(id)
    if (!row) return true
    return !table.columns.every((column, c) =>
      isUntouched(column, row[c + 1] ?? null, added.get(column.ref), index),
    )
  })
  if (changed.length > 0) return conflicts.addRows(table.tableId, changed)
  context.rowsGone(table, removeRecords(doc, table, rowIds, rows))
}

/** True when a cell of an added row holds its initial value. */
function isUntouched(
  column: Column,
  value: LogValue,
  added: ColumnValues | undefined,
  index: number,
): boolean {
  // What formulas compute follows from the other cells.
  if (isComputed(column)) return true
  const usual = defaultOf(column)
  // The column was added later.
  if (!added) return value === null || value === usual
  const first = added.new?.[index] ?? null
  if (value === first) return true
  // When an empty column becomes a data column, the default of its cells changes.
  return added.type !== column.typeName && value === usual && first === defaultOfType(added.type)
}

/** Restores removed rows. */
export function undoRemovedRows(context: RevertContext, operation: RowOperation): void {
  const { doc, conflicts } = context
  const table = context.findTable(operation)
  if (!table) return
  const { rowIds, columns } = operation
  const there = doc.connection
    .pluck<number>(
      `SELECT id FROM ${quoteId(table.tableId)} WHERE id IN (SELECT value FROM json_each(?))`,
    )
    .all(JSON.stringify(rowIds))
  conflicts.addRows(table.tableId, there)
  const byRef = new Map(table.columns.map((column) => [column.ref, column]))
  const given: StoredColumn[] = []
  for (const values of columns) {
    const column = byRef.get(values.ref)
    const stored = column ? comeBack(column, values) : isBlank(values) ? [] : undefined
    if (!stored) conflicts.addColumn(table.tableId, column?.id ?? values.id)
    else if (column) given.push({ column, values: stored })
  }
  if (!conflicts.none) return
  insertRecords(doc, table, { wanted: { comeBack: rowIds }, given })
}

/** The cells of a removed row in the column's present form; undefined when it cannot hold them. */
function comeBack(column: Column, values: ColumnValues): StoredValue[] | undefined {
  const { old = [], type } = values
  // Formulas compute the cells of the rows that come back.
  if (isComputed(column)) return old.map(() => null)
  if (isAlike(column, type) && (!column.isFormula || old.every(isUsual(column))))
    return old.map(fromLog)
  // In a column of another type, empty stays empty.
  return isBlank(values) ? old.map(() => fromLog(defaultOf(column))) : undefined
}

const isUsual = (column: Column) => (value: LogValue) => value === defaultOf(column)

function isBlank({ old = [] }: ColumnValues): boolean {
  return old.every((value) => value === null || value === '')
}

/** Restores the former values of cells that still hold the values of the change. */
export function undoUpdatedRows(context: RevertContext, operation: RowOperation): void {
  const { doc, conflicts } = context
  const table = context.findTable(operation)
  if (!table) return
  const { rowIds } = operation
  const changes = findChanges(context, table, operation)
  if (!changes) return
  const columns = changes.map(({ column }) => column)
  const before = byRowId(selectRows(doc, table, columns, rowIds))
  const changed = rowIds.filter((id, index) => {
    const row = before.get(id)
    if (!row) return true
    return changes.some(
      ({ values }, c) => differs(values, index) && row[c + 1] !== (values.new?.[index] ?? null),
    )
  })
  if (changed.length > 0) return conflicts.addRows(table.tableId, changed)
  const stored = changes.map(({ column, values }, c) => ({
    column,
    values: rowIds.map((id, index) =>
      fromLog((differs(values, index) ? values.old?.[index] : before.get(id)?.[c + 1]) ?? null),
    ),
  }))
  writeCells(doc, table, { rowIds, stored, before })
}

interface ChangedColumn {
  readonly column: Column
  readonly values: ColumnValues
}

/**
 * The changed columns in their present form; undefined, after recording conflicts, when one of them differs.
 */
function findChanges(
  { conflicts }: RevertContext,
  table: Table,
  operation: RowOperation,
): ChangedColumn[] | undefined {
  const byRef = new Map(table.columns.map((column) => [column.ref, column]))
  const found: ChangedColumn[] = []
  for (const values of operation.columns) {
    const column = byRef.get(values.ref)
    if (column && !column.isFormula && isAlike(column, values.type)) found.push({ column, values })
    else conflicts.addColumn(table.tableId, column?.id ?? values.id)
  }
  return found.length === operation.columns.length ? found : undefined
}

/** True when the operation changed the column in this row: it names all columns in which any row changed. */
function differs({ old, new: after }: ColumnValues, index: number): boolean {
  return (old?.[index] ?? null) !== (after?.[index] ?? null)
}

/**
 * True when the column stores values in the form of the type; time zones and referenced tables may differ.
 */
function isAlike(column: Column, type: string): boolean {
  return column.type.name === columnType(type).name
}

function defaultOf(column: Column): LogValue {
  return isComputed(column) ? null : logValue(column.type.defaultValue)
}

function defaultOfType(type: string): LogValue {
  return logValue(columnType(type).defaultValue)
}
