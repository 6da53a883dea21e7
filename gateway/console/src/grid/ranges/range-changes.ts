import type { Column, Row } from '../../api/resources'
import { columnName, isComputed } from '../../formats/column'
import { errorName } from '../../formats/value'
import type { RowChange } from '../../writes/table/cells-api'

/** Changes of the cells of a range, or why there are none. */
export type RangePlan = { readonly changes: readonly RowChange[] } | { readonly problem: string }

/** Plans to empty cells. Those of formula columns are left alone. */
export function planClear(rows: readonly Row[], columns: readonly Column[]): RangePlan {
  const cleared = columns.filter((column) => !isComputed(column))
  if (cleared.length === 0) return { problem: 'The cells of formula columns cannot be emptied.' }
  const fields = Object.fromEntries(cleared.map(({ id }) => [id, null]))
  return { changes: rows.map(({ id }) => ({ id, fields })) }
}

/** The rows of a block that fill the others: the index of the first, and their number. */
export interface FillSource {
  readonly first: number
  readonly count: number
}

/** Plans to fill the cells of a block from some of its rows: with the numbers or dates of a series, or with the same values again. */
export function planFill(
  rows: readonly Row[],
  columns: readonly Column[],
  { first, count }: FillSource,
): RangePlan {
  const computed = columns.find(isComputed)
  if (computed) return { problem: `Could not fill: ${columnName(computed)} is a formula column.` }
  const sources = rows.slice(first, first + count)
  // Rows were deleted since they were selected.
  if (sources.length < count) return { changes: [] }
  const fills = columns.map((column) => {
    const values = sources.map(({ fields }) => valueOf(fields[column.id]))
    return { id: column.id, at: seriesOf(values, column) ?? repeated(values) }
  })
  const changes = rows.flatMap(({ id }, index) => {
    const place = index - first
    if (place >= 0 && place < count) return []
    return [{ id, fields: Object.fromEntries(fills.map((fill) => [fill.id, fill.at(place)])) }]
  })
  return { changes }
}

/** An error cannot be written. */
const valueOf = (value: unknown): unknown =>
  errorName(value) === undefined ? (value ?? null) : null

/** Returns the value at a place after the first source, or before it, of values that are repeated. */
const repeated =
  (values: readonly unknown[]) =>
  (place: number): unknown =>
    values[((place % values.length) + values.length) % values.length]

/** Digits to which a series is exact, without the errors of binary fractions. */
const SERIES_DIGITS = 12

/** Returns the same for numbers or dates with equal steps; undefined for other values. */
function seriesOf(
  values: readonly unknown[],
  { fields }: Column,
): ((place: number) => unknown) | undefined {
  const [first, second] = values
  if (!/^(Numeric|Int|Date|DateTime:.*)$/.test(fields.type)) return undefined
  if (typeof first !== 'number' || typeof second !== 'number') return undefined
  const at = (place: number) =>
    Number((first + (second - first) * place).toPrecision(SERIES_DIGITS))
  return values.every((value, place) => value === at(place)) ? at : undefined
}

/** Returns pasted lines, repeated over a selection of this size if they are a single cell. */
export function repeatCell<T>(
  lines: readonly (readonly T[])[],
  { rows, columns }: { readonly rows: number; readonly columns: number },
): readonly (readonly T[])[] {
  const [line = []] = lines
  const [cell] = line
  if (lines.length !== 1 || line.length !== 1 || cell === undefined) return lines
  return Array.from({ length: rows }, () => Array.from({ length: columns }, () => cell))
}
