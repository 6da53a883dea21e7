import type { FoundRows } from './formula-parts'
import type { Run, Total } from './frame'
import type { Value } from './values/values'

/** Up to this sum of magnitudes, floats are added exactly in every order. */
const MAX_SIZE = Number.MAX_SAFE_INTEGER

/** The value of a sum of cells, by the type of their column. */
const sums: Readonly<Record<string, (total: Total) => Value>> = {
  Int: ({ sum }) => BigInt(sum),
  // The sum of no numbers is an integer.
  Numeric: ({ sum, numbers }) => (numbers === 0 ? 0n : sum + 0),
}

/**
 * A function of the rows of a lookup, or of their cells, that follows from their total; `run` computes it where it does not.
 * Undefined for other functions.
 */
export function totalRun(name: string, found: FoundRows, run: Run): Run | undefined {
  const { keys, value, ...of } = found
  if (name === 'len') return (frame) => BigInt(frame.source.total(of, keys(frame), frame.row).rows)
  const sum = value && sums[value.column.type.name]
  if (!sum || (name !== 'SUM' && name !== 'sum')) return undefined
  return (frame) => {
    const total = frame.source.total({ ...of, value }, keys(frame), frame.row)
    return total.others === 0 && total.size <= MAX_SIZE ? sum(total) : run(frame)
  }
}
