import type { Column, Row } from '../../api/resources'
import { readCell } from '../../formats/cell-text'
import { columnName, isComputed } from '../../formats/column'
import type { RowChange } from '../../writes/table/cells-api'
import type { PastedCell } from './kept-values'

/** The target of a paste. */
export interface PasteTarget {
  /** The first selected column and those after it. */
  readonly columns: readonly Column[]
  /** The rows from the first selected one on, as many as there are lines, or fewer at the end of the table. */
  readonly rows: readonly Row[]
  /** Ids of columns to add for what reaches beyond the last one. */
  readonly added?: readonly string[]
}

/** What a paste changes, and what it needs besides. */
export interface PastePlan {
  readonly changes: readonly RowChange[]
  /** Cells of the rows to add. */
  readonly addedRows: readonly RowChange['fields'][]
  /** Number of columns to add; their cells are not in the plan yet. */
  readonly missingColumns: number
}

interface PastedColumn {
  readonly id: string
  readonly read: (cell: PastedCell) => unknown
}

/** Plans a paste, line by line. Returns why there is none if it covers a formula column. */
export function planPaste(
  lines: readonly (readonly PastedCell[])[],
  { columns, rows, added = [] }: PasteTarget,
): PastePlan | { readonly problem: string } {
  const width = lines.reduce((most, line) => Math.max(most, line.length), 0)
  const known = columns.slice(0, width)
  const computed = known.find(isComputed)
  if (computed) return { problem: `Could not paste: ${columnName(computed)} is a formula column.` }
  const cells: PastedColumn[] = [
    ...known.map((column) => ({ id: column.id, read: readerOf(column) })),
    // The server reads texts of new columns.
    ...added.map((id) => ({ id, read: ({ text }: PastedCell) => text })),
  ]
  const fields = lines.map((line) => readLine(line, cells))
  return {
    changes: rows.slice(0, lines.length).map(({ id }, at) => ({ id, fields: fields[at] ?? {} })),
    addedRows: fields.slice(rows.length),
    missingColumns: width - Math.min(width, cells.length),
  }
}

/** A value is taken where its type is that of the column, with the table it refers to; the text is read as if it were typed. */
const readerOf =
  (column: Column): PastedColumn['read'] =>
  ({ text, type, value }) =>
    type === column.fields.type ? value : readCell(text, column)

function readLine(
  line: readonly PastedCell[],
  cells: readonly PastedColumn[],
): RowChange['fields'] {
  const values = cells
    .slice(0, line.length)
    .map(({ id, read }, index): [string, unknown] => [id, read(line[index] ?? { text: '' })])
  return Object.fromEntries(values)
}
