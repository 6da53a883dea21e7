import type { RowOperation, SchemaOperation } from '@sheaf/client'
import { isOfRows, type Operation } from './history-queries'

/** A cell before and after a change. */
export interface CellChange {
  readonly tableId: string
  readonly tableRef: number
  readonly rowId: number
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
  // Row positions are internal.
  const columns = Object.entries(operation.columns).filter(([id]) => id !== 'manualSort')
  for (const [index, rowId] of rowIds.entries())
    for (const [colId, { colRef, old, new: after }] of columns) {
      const values = { ...(old && { old: old[index] }), ...(after && { new: after[index] }) }
      // An update lists every column in which at least one row has changed.
      const isIncluded = isWhole ? !isBlank(values) : !isSame(values)
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

const isBlank = (values: Values) => (values.old ?? values.new ?? '') === ''

const isSame = (values: Values) => JSON.stringify(values.old) === JSON.stringify(values.new)
