import type { Column, Row } from '../../api/resources'
import { readCell } from '../../formats/cell-text'
import { columnName, isComputed } from '../../formats/column'
import type { RowChange } from '../../writes/cells-api'

/** Maximum number of rows per paste. */
const MAX_PASTED = 1_000

/** The target of a paste. */
export interface PasteTarget {
  /** The focused column and those after it. */
  readonly columns: readonly Column[]
  readonly firstRow: number
  readonly total: number
  /** Returns the row at an index; undefined unless it is known for certain. */
  readonly rowAt: (index: number) => Row | undefined
}

/** The changes of a paste, and why some cells are not pasted. */
export interface PastePlan {
  readonly changes: readonly RowChange[]
  readonly problem?: string
}

/** Plans a paste row by row, up to the first row that is not available. */
export function planPaste(
  lines: readonly (readonly string[])[],
  { columns, firstRow, total, rowAt }: PasteTarget,
): PastePlan {
  const pasted = lines.slice(0, MAX_PASTED)
  const width = Math.max(0, ...pasted.map((line) => line.length))
  if (width > columns.length)
    return reject(
      `the selection has ${width} columns, but only ${columns.length} are available here.`,
    )
  const computed = columns.slice(0, width).find(isComputed)
  if (computed) return reject(`${columnName(computed)} is a formula column.`)
  const changes: RowChange[] = []
  for (const [offset, line] of pasted.entries()) {
    const row = rowAt(firstRow + offset)
    // Skipping a row would shift the following lines.
    if (!row) break
    changes.push({ id: row.id, fields: readLine(line, columns) })
  }
  if (changes.length === lines.length) return { changes }
  const reason =
    changes.length === MAX_PASTED
      ? `at most ${MAX_PASTED} rows can be pasted at once`
      : firstRow + changes.length < total
        ? 'the next row is not loaded yet'
        : 'there are not enough rows below this cell'
  return { changes, problem: `Pasted ${changes.length} of ${lines.length} rows: ${reason}.` }
}

const reject = (reason: string): PastePlan => ({
  changes: [],
  problem: `Could not paste: ${reason}`,
})

function readLine(line: readonly string[], columns: readonly Column[]): Record<string, unknown> {
  const cells = columns
    .slice(0, line.length)
    .map((column, index): [string, unknown] => [column.id, readCell(line[index] ?? '', column)])
  return Object.fromEntries(cells)
}
