import type { ColumnValues, RowOperation } from '../log/log'
import type { Column, Table } from '../schema/schema'
import { cellBefore, type ComparedColumn, type RowDifference } from './row-differences'
import { sizeOf, type StoredRow } from './row-cursor'
import type { TablePair } from './table-pairs'

/** Limits of a block of rows; one row alone may be larger. */
const BLOCK_ROWS = 1_000
const BLOCK_BYTES = 256 * 1024

/** Collects differences of rows of one table, and writes them in the form of the log. */
export class DifferenceBlock {
  private rows: RowDifference[] = []
  private bytes = 0

  constructor(private readonly pair: TablePair) {}

  /** True when the rows should be taken before others are added. */
  get isFull(): boolean {
    return this.rows.length >= BLOCK_ROWS || this.bytes >= BLOCK_BYTES
  }

  /** Adds a row. */
  add(row: RowDifference): void {
    this.rows.push(row)
    this.bytes += sizeOf(row.before ?? []) + sizeOf(row.after ?? [])
  }

  /**
   * Takes the rows as operations: one for the added rows, one for the removed rows, and one for all rows that changed in
   * the same columns. Within each, ids ascend.
   */
  take(): RowOperation[] {
    const { rows } = this
    this.rows = []
    this.bytes = 0
    const groups = new Map<string, RowDifference[]>()
    for (const row of rows) {
      const key = groupOf(row)
      const group = groups.get(key)
      if (group) group.push(row)
      else groups.set(key, [row])
    }
    return [...groups.values()].map((group) => this.operationOf(group))
  }

  private operationOf(rows: readonly RowDifference[]): RowOperation {
    const { ref: tableRef, before, after } = this.pair
    const head = {
      table: (after ?? before)?.tableId ?? '',
      tableRef,
      rowIds: rows.map(({ rowId }) => rowId),
    }
    const [first] = rows
    if (!first?.before) {
      const columns = wholeColumns(after, (i) => ({
        new: rows.map((row) => cellAt(row.after, i)),
      }))
      return { kind: 'add_rows', ...head, columns }
    }
    if (!first.after) {
      const columns = wholeColumns(before, (i) => ({
        old: rows.map((row) => cellAt(row.before, i)),
      }))
      return { kind: 'remove_rows', ...head, columns }
    }
    const columns = first.changed.map((column) => changedCells(column, rows))
    return { kind: 'update_rows', ...head, columns }
  }
}

function groupOf({ before, after, changed }: RowDifference): string {
  if (!before) return 'added'
  return after ? changed.map(({ afterAt }) => afterAt).join() : 'removed'
}

const cellAt = (row: StoredRow | undefined, index: number) => row?.[index + 1] ?? null

function wholeColumns(
  table: Table | undefined,
  cells: (index: number) => Pick<ColumnValues, 'old' | 'new'>,
): ColumnValues[] {
  return (table?.columns ?? []).map((column, i) => ({ ...describe(column), ...cells(i) }))
}

function describe({ id, ref, typeName: type }: Column) {
  return { id, ref, type }
}

function changedCells(column: ComparedColumn, rows: readonly RowDifference[]): ColumnValues {
  const { before, after, afterAt } = column
  return {
    ...describe(after),
    oldType: before?.typeName ?? after.typeName,
    old: rows.map((row) => (row.before ? cellBefore(column, row.before) : null)),
    new: rows.map((row) => row.after?.[afterAt] ?? null),
  }
}
