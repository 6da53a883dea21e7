import type { FoundRows } from './formula-parts'
import type { Run, Total } from './frame'
import type { Value } from './values/values'

/** Up to this sum of magnitudes, floats are added exactly in every order. */
const MAX_SIZE = Number.MAX_SAFE_INTEGER

/** A value that follows from a total; undefined where it does not. */
type OfTotal = (total: Total) => Value | undefined

function isWhole({ others, fractions, size }: Total): boolean {
  return others === 0 && fractions === 0 && size <= MAX_SIZE
}

/** The sum of cells, by the type of their column. */
const sums: Readonly<Record<string, OfTotal>> = {
  Int: (total) => (isWhole(total) ? BigInt(total.sum) : undefined),
  // The sum of no numbers is an integer.
  Numeric: (total) => {
    if (!isWhole(total)) return undefined
    return total.numbers === 0 ? 0n : total.sum + 0
  },
}

const count: OfTotal = ({ others, numbers, fractions }) =>
  others === 0 ? BigInt(numbers + fractions) : undefined
// Without numbers it is an error.
const average: OfTotal = (total) =>
  isWhole(total) && total.numbers > 0 ? total.sum / total.numbers : undefined

/** Python's own `sum` takes no blank cells. */
function sumWithoutBlanks(type: string): OfTotal {
  return (total) => (total.rows === total.numbers ? sums[type]?.(total) : undefined)
}

/** Functions of the cells of numeric columns that follow from their total. */
const functions: Readonly<Record<string, (type: string) => OfTotal | undefined>> = {
  SUM: (type) => sums[type],
  sum: sumWithoutBlanks,
  COUNT: () => count,
  AVERAGE: () => average,
}

/**
 * A function of the rows of a lookup, or of their cells, that follows from their total; `run` computes it where it does not.
 * Undefined for other functions.
 */
export function totalRun(name: string, found: FoundRows, run: Run): Run | undefined {
  const { keys, value, ...of } = found
  if (name === 'len') return (frame) => BigInt(frame.source.total(of, keys(frame), frame.row).rows)
  const type = value?.column.type.name
  if (type === undefined || !Object.hasOwn(sums, type) || !Object.hasOwn(functions, name))
    return undefined
  const follow = functions[name]?.(type)
  if (!follow) return undefined
  return (frame) =>
    follow(frame.source.total({ ...of, value }, keys(frame), frame.row)) ?? run(frame)
}
