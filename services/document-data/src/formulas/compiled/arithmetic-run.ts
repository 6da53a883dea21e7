import type { Part } from './formula-parts'
import type { Run } from './frame'
import type { Value } from './values/values'

type Operator = (left: Value, right: Value) => Value

/**
 * An operation of arithmetic. Whole numbers of cells are no bigints where the other operand is a float: making one takes longer
 * than to multiply.
 */
export function arithmeticRun(operate: Operator, left: Part, right: Part): Run {
  const [a, b] = [left.run, right.run]
  if (left.number && !right.number) {
    const { number } = left
    return (frame) => {
      const [first, second] = [number(frame), b(frame)]
      return operate(typeof second === 'number' ? first : toWhole(first), second)
    }
  }
  if (right.number && !left.number) {
    const { number } = right
    return (frame) => {
      const [first, second] = [a(frame), number(frame)]
      return operate(first, typeof first === 'number' ? second : toWhole(second))
    }
  }
  return (frame) => operate(a(frame), b(frame))
}

function toWhole(value: Value): Value {
  return typeof value === 'number' && Number.isInteger(value) ? BigInt(value) : value
}
