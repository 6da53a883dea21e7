import type { Column, Row } from '../../api/resources'

/** What the cells of a range come to. */
export interface RangeSummary {
  readonly cells: number
  /** Of the cells with numbers; undefined if there are none, or not all rows are known. */
  readonly numbers?: { readonly count: number; readonly sum: number; readonly average: number }
}

/** Types whose numbers are quantities: not those of dates, references and checkboxes. */
const QUANTITIES = new Set(['Numeric', 'Int', 'Any'])

/** Returns the sum and average of the numbers in some columns of rows. */
export function summarize(rows: readonly Row[], columns: readonly Column[]): RangeSummary {
  const counted = columns.filter(({ fields }) => QUANTITIES.has(fields.type))
  const values = rows.flatMap(({ fields }) =>
    counted.flatMap(({ id }) => {
      const value = fields[id]
      return typeof value === 'number' ? [value] : []
    }),
  )
  const cells = rows.length * columns.length
  if (values.length === 0) return { cells }
  const sum = sumOf(values)
  return { cells, numbers: { count: values.length, sum, average: sum / values.length } }
}

/** Sums with the rounding errors added up beside (Neumaier), so that ten times 0.1 are 1. */
function sumOf(values: readonly number[]): number {
  let sum = 0
  let rest = 0
  for (const value of values) {
    const next = sum + value
    rest += Math.abs(sum) >= Math.abs(value) ? sum - next + value : value - next + sum
    sum = next
  }
  return Number.isFinite(rest) ? sum + rest : sum
}

const format = (value: number): string =>
  value.toLocaleString(undefined, { maximumSignificantDigits: 12 })

/** Returns a summary as text. */
export function describeSummary({ cells, numbers }: RangeSummary): string {
  const count = `${cells.toLocaleString()} cells selected`
  if (!numbers) return count
  return `${count}, sum ${format(numbers.sum)}, average ${format(numbers.average)}`
}
