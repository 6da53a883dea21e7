import { isOfRows, type Operation } from './history-calls'

/** One cell before and after a change. */
export interface CellChange {
  readonly tableId: string
  readonly tableRef: number
  readonly rowId: number
  readonly colId: string
  readonly colRef: number
  /** Absent for a row that was added. */
  readonly old?: unknown
  /** Absent for what was removed. */
  readonly new?: unknown
}

/** The cells that an operation changed, row by row. What is empty in whole rows is left out. */
export function* listCells(operation: Operation): Generator<CellChange> {
  const { tableId, tableRef } = operation
  if (!isOfRows(operation)) {
    const { cells, colId = '', colRef = 0 } = operation
    for (const [index, rowId] of (cells?.rowIds ?? []).entries())
      if (!isEmpty(cells?.old[index]))
        yield { tableId, tableRef, rowId, colId, colRef, old: cells?.old[index] }
    return
  }
  // The positions of rows have no ref, and nothing to tell to people.
  const columns = Object.entries(operation.columns).filter(([id]) => id !== 'manualSort')
  const isWhole = operation.action !== 'updateRows'
  for (const [index, rowId] of operation.rowIds.entries())
    for (const [colId, { colRef, old, new: after }] of columns) {
      const values = {
        ...(old && { old: old[index] }),
        ...(after && { new: after[index] }),
      }
      if (isWhole ? !isEmpty(old?.[index] ?? after?.[index]) : !isSame(values.old, values.new))
        yield { tableId, tableRef, rowId, colId, colRef, ...values }
    }
}

const isEmpty = (value: unknown) => value === null || value === undefined || value === ''

/** An update lists each column in which any of its rows has changed. */
const isSame = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other)

/** The first cells of a list, and how many there are. */
export function firstCells(
  operations: readonly Operation[],
  most: number,
): { readonly cells: readonly CellChange[]; readonly count: number } {
  const cells: CellChange[] = []
  let count = 0
  for (const operation of operations)
    for (const cell of listCells(operation)) {
      if (count < most) cells.push(cell)
      count++
    }
  return { cells, count }
}
