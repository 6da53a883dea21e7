import type { Column, Row } from '../../api/resources'
import { readCell } from '../../formats/cell-text'
import { columnName, isComputed } from '../../formats/column'
import type { RowChange } from '../rows/rows-api'

/** Rows that are pasted at once. */
const MAX_PASTED = 1_000

/** Where a block of cells is to go. */
export interface PastePlace {
  /** The column with the focus, and those after it. */
  readonly columns: readonly Column[]
  readonly firstRow: number
  readonly total: number
  /** The row of a place; none unless it is certain which one stands there. */
  readonly rowAt: (index: number) => Row | undefined
}

/** What a paste changes; and why it does not change all that was to be pasted. */
export interface PastePlan {
  readonly changes: readonly RowChange[]
  readonly problem?: string
}

/** What a block of cells changes: row by row, up to the first that is not there. */
export function planPaste(
  lines: readonly (readonly string[])[],
  { columns, firstRow, total, rowAt }: PastePlace,
): PastePlan {
  const wanted = lines.slice(0, MAX_PASTED)
  const width = Math.max(0, ...wanted.map((line) => line.length))
  if (width > columns.length)
    return refuse(`the cells are ${width} columns wide, and ${columns.length} begin here.`)
  const computed = columns.slice(0, width).find(isComputed)
  if (computed) return refuse(`${columnName(computed)} is computed.`)
  const changes: RowChange[] = []
  for (const [place, line] of wanted.entries()) {
    const row = rowAt(firstRow + place)
    // A line that is left out would have those after it written a row too high.
    if (!row) break
    changes.push({ id: row.id, fields: readLine(line, columns) })
  }
  if (changes.length === lines.length) return { changes }
  const why =
    changes.length === MAX_PASTED
      ? 'so many at most are pasted at once'
      : firstRow + changes.length < total
        ? 'the next one is not read yet'
        : 'the others do not fit below this cell'
  return { changes, problem: `Pasted ${changes.length} of ${lines.length} rows: ${why}.` }
}

const refuse = (why: string): PastePlan => ({ changes: [], problem: `Paste: ${why}` })

function readLine(line: readonly string[], columns: readonly Column[]): Record<string, unknown> {
  const cells = columns
    .slice(0, line.length)
    .map((column, place): [string, unknown] => [column.id, readCell(line[place] ?? '', column)])
  return Object.fromEntries(cells)
}
