import type { Column, Row } from '../../api/resources'
import { readCell } from '../../formats/cell-text'
import { columnName, isComputed } from '../../formats/column'
import type { RowChange } from '../../writes/cells-api'

/** Maximum number of rows per paste. */
const MAX_PASTED = 1_000
const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'

/** The target of a paste. */
export interface PasteTarget {
  /** All columns of the table. */
  readonly columns: readonly Column[]
  readonly firstColumn: number
  readonly firstRow: number
  readonly total: number
  /** Returns the row at an index; undefined unless it is known for certain. */
  readonly rowAt: (index: number) => Row | undefined
}

/** What a table needs for a block that reaches beyond its last row or column. */
export interface Growth {
  /** Cells of the rows to add. */
  readonly rows: readonly RowChange['fields'][]
  /** Ids of the columns to add. */
  readonly columns: readonly string[]
}

/** The changes of a paste, and why some cells are not pasted. */
export interface PastePlan {
  readonly changes: readonly RowChange[]
  readonly problem?: string
  /** Without it, the table stays as large as it is. */
  readonly growth?: Growth
}

interface PastedColumn {
  readonly id: string
  readonly read: (text: string) => unknown
}

/** Plans a paste row by row, up to the first row that is not loaded. */
export function planPaste(
  lines: readonly (readonly string[])[],
  { columns, firstColumn, firstRow, total, rowAt }: PasteTarget,
): PastePlan {
  const pasted = lines.slice(0, MAX_PASTED)
  const width = Math.max(0, ...pasted.map((line) => line.length))
  const known = columns.slice(firstColumn, firstColumn + width)
  const computed = known.find(isComputed)
  if (computed)
    return {
      changes: [],
      problem: `Could not paste: ${columnName(computed)} is a formula column.`,
    }
  const added = freeIds(columns, width - known.length)
  const cells: PastedColumn[] = [
    ...known.map((column) => ({ id: column.id, read: (text: string) => readCell(text, column) })),
    ...added.map((id) => ({ id, read: (text: string) => text })),
  ]
  const changes: RowChange[] = []
  for (const [offset, line] of pasted.entries()) {
    const row = rowAt(firstRow + offset)
    // Skipping a row would shift the following lines.
    if (!row) break
    changes.push({ id: row.id, fields: readLine(line, cells) })
  }
  const isAtEnd = firstRow + changes.length >= total
  const rows = isAtEnd ? pasted.slice(changes.length).map((line) => readLine(line, cells)) : []
  const plan = { changes, problem: problemOf(changes.length + rows.length, lines.length) }
  return rows.length + added.length > 0 ? { ...plan, growth: { rows, columns: added } } : plan
}

function problemOf(count: number, wanted: number): string | undefined {
  if (count === wanted) return undefined
  const reason =
    count === MAX_PASTED
      ? `at most ${MAX_PASTED} rows can be pasted at once`
      : 'the next row is not loaded yet'
  return `Pasted ${count} of ${wanted} rows: ${reason}.`
}

function readLine(line: readonly string[], cells: readonly PastedColumn[]): RowChange['fields'] {
  const values = cells
    .slice(0, line.length)
    .map(({ id, read }, index): [string, unknown] => [id, read(line[index] ?? '')])
  return Object.fromEntries(values)
}

/** Returns ids that no column has: letters, as the API gives them to columns without a name, then with numbers. */
function freeIds(columns: readonly Column[], count: number): string[] {
  const taken = new Set(columns.map(({ id }) => id.toUpperCase()))
  const ids: string[] = []
  for (let number = 0; ids.length < count; number++) {
    const id =
      LETTERS.charAt(number % LETTERS.length) + String(Math.floor(number / LETTERS.length) || '')
    if (!taken.has(id)) ids.push(id)
  }
  return ids
}
