import type { Column, Row } from '../../api/resources'
import { columnName, isComputed } from '../../formats/column'
import { errorName } from '../../formats/value'
import type { RowChange } from '../../writes/cells-api'

/** Changes of the cells of a range, or why there are none. */
export type RangePlan = { readonly changes: readonly RowChange[] } | { readonly problem: string }

/** Plans to empty cells. Those of formula columns are left alone. */
export function planClear(rows: readonly Row[], columns: readonly Column[]): RangePlan {
  const cleared = columns.filter((column) => !isComputed(column))
  if (cleared.length === 0) return { problem: 'The cells of formula columns cannot be emptied.' }
  const fields = Object.fromEntries(cleared.map(({ id }) => [id, null]))
  return { changes: rows.map(({ id }) => ({ id, fields })) }
}

/** Plans to copy the cells of the first row into the others. */
export function planFillDown(
  [first, ...rows]: readonly Row[],
  columns: readonly Column[],
): RangePlan {
  const computed = columns.find(isComputed)
  if (computed)
    return { problem: `Could not fill down: ${columnName(computed)} is a formula column.` }
  const values = columns.map(({ id }): [string, unknown] => {
    const value = first?.fields[id]
    // An error cannot be written.
    return [id, errorName(value) === undefined ? (value ?? null) : null]
  })
  const fields = Object.fromEntries(values)
  return { changes: rows.map(({ id }) => ({ id, fields })) }
}

/** Returns pasted lines, repeated over a selection of this size if they are a single cell. */
export function repeatCell(
  lines: readonly (readonly string[])[],
  { rows, columns }: { readonly rows: number; readonly columns: number },
): readonly (readonly string[])[] {
  const [line = []] = lines
  if (lines.length !== 1 || line.length !== 1) return lines
  return Array.from({ length: rows }, () => Array.from({ length: columns }, () => line[0] ?? ''))
}
