import type { RowOperation, SchemaOperation } from '@sheaf/client'
import type { Column } from '../api/resources'
import { isOfRows, type Operation } from './history-queries'

/** The ref of the table whose rows are the views. */
export const VIEWS_REF = -2

/** A row of a change. */
export interface ChangedRow {
  readonly tableRef: number
  readonly rowId: number
}

/** A cell before and after a change. */
export interface CellChange extends ChangedRow {
  readonly tableId: string
  readonly colId: string
  readonly colRef: number
  /** Absent for added rows. */
  readonly old?: unknown
  /** Absent for removed rows and columns. */
  readonly new?: unknown
}

/**
 * Returns the first cells of a change, row by row, and their total number. Empty cells of added and removed
 * rows are omitted.
 */
export function firstCells(
  operations: readonly Operation[],
  limit: number,
): { readonly cells: readonly CellChange[]; readonly count: number } {
  const cells: CellChange[] = []
  let count = 0
  for (const operation of operations)
    for (const cell of isOfRows(operation) ? cellsOfRows(operation) : removedCells(operation)) {
      if (count < limit) cells.push(cell)
      count++
    }
  return { cells, count }
}

function* cellsOfRows(operation: RowOperation): Generator<CellChange> {
  const { tableId, tableRef, rowIds } = operation
  const isWhole = operation.action !== 'updateRows'
  const isView = tableRef === VIEWS_REF
  const internal = isView ? viewInternals : ['manualSort']
  const columns = Object.entries(operation.columns).filter(([id]) => !internal.includes(id))
  for (const [index, rowId] of rowIds.entries())
    for (const [colId, { colRef, old, new: after }] of columns) {
      const values = { ...(old && { old: old[index] }), ...(after && { new: after[index] }) }
      // An update lists every column in which at least one row has changed.
      const isIncluded = isWhole ? !isBlank(values, isView) : !isSame(values)
      if (isIncluded) yield { tableId, tableRef, rowId, colId, colRef, ...values }
    }
}

function* removedCells(operation: SchemaOperation): Generator<CellChange> {
  const { tableId, tableRef, colId = '', colRef = 0, cells } = operation
  for (const [index, rowId] of (cells?.rowIds ?? []).entries()) {
    const values = { old: cells?.old[index] }
    if (!isBlank(values)) yield { tableId, tableRef, rowId, colId, colRef, ...values }
  }
}

type Values = Pick<CellChange, 'old' | 'new'>

function isBlank(values: Values, isView = false): boolean {
  const value = values.old ?? values.new ?? ''
  return value === '' || (isView && viewDefaults.includes(value))
}

/** Where a view is, and its kind, of which there is one. */
const viewInternals = ['tableRef', 'position', 'type']
/** Settings that every new view has. */
const viewDefaults: readonly unknown[] = [0, false, 'short', '{}', '[]']

const isSame = (values: Values) => JSON.stringify(values.old) === JSON.stringify(values.new)

/** Returns the row of a change of a single one; undefined for other changes. */
export function onlyRow(operations: readonly Operation[]): ChangedRow | undefined {
  const [first] = operations
  if (!first || !isOfRows(first)) return undefined
  const { tableRef, rowIds } = first
  const [rowId] = rowIds
  const isOnly = (operation: Operation) =>
    isOfRows(operation) &&
    operation.tableRef === tableRef &&
    operation.rowIds.every((id) => id === rowId)
  return rowId !== undefined && operations.every(isOnly) ? { tableRef, rowId } : undefined
}

/** Returns the last value of a cell in a change: after it, or before the row was removed. Undefined if it is not there. */
export function changedValue(
  operations: readonly Operation[],
  { tableRef, rowId }: ChangedRow,
  { id, fields: { colRef } }: Column,
): unknown {
  // Columns of views have no refs.
  const isOf = ([other, { colRef: ref }]: [string, { readonly colRef: number }]) =>
    colRef === 0 ? other === id : ref === colRef

  const values = operations.filter(isOfRows).flatMap((operation) => {
    const index = operation.tableRef === tableRef ? operation.rowIds.indexOf(rowId) : -1
    const [, column] = Object.entries(operation.columns).find(isOf) ?? []
    return index < 0 || !column ? [] : [(column.new ?? column.old)?.[index]]
  })
  return values.at(-1)
}
