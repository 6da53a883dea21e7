import { loggedCells } from '../../values/logged-cells'
import type { LogValue } from '../log/log'
import type { Table } from '../schema/schema'
import type { Connection } from '../sqlite/connections'
import { RowCursor, type RowSelection, type StoredRow } from './row-cursor'
import { pairColumns, type ColumnPair, type TablePair } from './table-pairs'

/** A row that two moments of a table differ in. */
export interface RowDifference {
  readonly rowId: number
  /** Undefined for an added row. */
  readonly before: StoredRow | undefined
  /** Undefined for a removed row. */
  readonly after: StoredRow | undefined
  /** For a changed row, the columns in which it differs. */
  readonly changed: readonly ComparedColumn[]
}

/** A column of both moments, or an added one, with its places in the rows. */
export interface ComparedColumn extends ColumnPair {
  /** Undefined for an added column. */
  readonly beforeAt: number | undefined
  readonly afterAt: number
}

/** The files of two moments. */
export interface Moments {
  readonly before: Connection
  readonly after: Connection
}

/**
 * The rows in which the moments of a table differ, in the order of their ids; null where other work may run. Cells that
 * clients see alike are equal. Cells of removed columns are not compared.
 */
export function* rowDifferences(
  moments: Moments,
  { before, after }: TablePair,
  selection: RowSelection,
): Generator<RowDifference | null> {
  const columns = before && after ? compareColumns(before, after) : []
  const left = new RowCursor(moments.before, before, selection)
  const right = new RowCursor(moments.after, after, selection)
  for (;;) {
    if (left.isEmpty || right.isEmpty) {
      left.fill()
      right.fill()
      yield null
      continue
    }
    const rows = takeRow(left, right)
    if (!rows) return
    const difference = differenceOf(rows, columns)
    if (difference) yield difference
  }
}

/** A row at both moments. */
type RowPair = Pick<RowDifference, 'before' | 'after'>

/** Takes the row with the lowest id; undefined when there is none. */
function takeRow(left: RowCursor, right: RowCursor): RowPair | undefined {
  const [l, r] = [left.row, right.row]
  if (!l && !r) return undefined
  const order = (l?.[0] ?? Infinity) - (r?.[0] ?? Infinity)
  if (order <= 0) left.advance()
  if (order >= 0) right.advance()
  return { before: order <= 0 ? l : undefined, after: order >= 0 ? r : undefined }
}

function differenceOf(
  { before, after }: RowPair,
  columns: readonly ComparedColumn[],
): RowDifference | undefined {
  const rowId = before?.[0] ?? after?.[0] ?? 0
  if (!before || !after) return { rowId, before, after, changed: [] }
  const changed = columns.filter((column) => !isSameCell(column, before, after))
  return changed.length > 0 ? { rowId, before, after, changed } : undefined
}

function compareColumns(before: Table, after: Table): ComparedColumn[] {
  const places = new Map(before.columns.map((column, i) => [column, i + 1]))
  return pairColumns(before, after).map((pair, i): ComparedColumn => {
    const beforeAt = pair.before && places.get(pair.before)
    return { ...pair, beforeAt, afterAt: i + 1 }
  })
}

/** The cell of a column before; for an added column what its cells hold unless a change says otherwise. */
export function cellBefore({ beforeAt, initial }: ComparedColumn, row: StoredRow): LogValue {
  return beforeAt === undefined ? initial : (row[beforeAt] ?? null)
}

function isSameCell(column: ComparedColumn, before: StoredRow, after: StoredRow): boolean {
  const [old, now] = [cellBefore(column, before), after[column.afterAt] ?? null]
  const { typeName } = column.after
  const oldType = column.before?.typeName ?? typeName
  if (old === now && oldType === typeName) return true
  return loggedCells(oldType, [old]).equals(loggedCells(typeName, [now]))
}
