import { isEqual, isIn, isLess, isSame } from './comparison'
import { divide, floorDivide, minus, modulo, numeric, plus, power, times, toCount } from './numbers'
import { DAY, difference, moved } from './moments'
import { percentFormat } from './percent-format'
import { bounded, MAX_TEXT } from './text-bounds'
import {
  DateValue,
  DurationValue,
  isTime,
  ListValue,
  MomentValue,
  needsPython,
  type Value,
} from './values'

/** Items of a list that operators make at most; Python makes longer ones. */
const MAX_ITEMS = 10_000

function add(left: Value, right: Value): Value {
  if (typeof left === 'string' && typeof right === 'string') return bounded(left + right)
  if (left instanceof ListValue && right instanceof ListValue) return concatenated(left, right)
  if (isTime(left) && right instanceof DurationValue) return moved(left, right.seconds)
  if (left instanceof DurationValue && isTime(right)) return moved(right, left.seconds)
  return plus(numeric(left), numeric(right))
}

function concatenated(left: ListValue, right: ListValue): ListValue {
  const items = [...left.items, ...right.items]
  return left.isTuple === right.isTuple && items.length <= MAX_ITEMS
    ? new ListValue(items, left.isTuple)
    : needsPython()
}

function multiply(left: Value, right: Value): Value {
  if (typeof left === 'string') return repeated(left, right)
  if (typeof right === 'string') return repeated(right, left)
  return times(numeric(left), numeric(right))
}

function repeated(text: string, count: Value): string {
  const times = Math.max(0, toCount(count))
  return text.length * times <= MAX_TEXT ? text.repeat(times) : needsPython()
}

function remainder(left: Value, right: Value): Value {
  if (typeof left === 'string') return percentFormat(left, right)
  return modulo(numeric(left), numeric(right))
}

function subtract(left: Value, right: Value): Value {
  // A date has no time of day, of which the rest of a day could be taken.
  if (left instanceof DateValue && right instanceof DurationValue)
    return moved(left, -Math.floor(right.seconds / DAY) * DAY)
  if (left instanceof MomentValue && right instanceof DurationValue)
    return moved(left, -right.seconds)
  const apart = difference(left, right)
  if (apart !== undefined) return apart
  return minus(numeric(left), numeric(right))
}

type Operator = (left: Value, right: Value) => Value

/** Operators of arithmetic by their signs. */
export const arithmetic: Readonly<Record<string, Operator>> = {
  '+': add,
  '-': subtract,
  '*': multiply,
  '/': (left, right) => divide(numeric(left), numeric(right)),
  '//': (left, right) => floorDivide(numeric(left), numeric(right)),
  '%': remainder,
  '**': (left, right) => power(numeric(left), numeric(right)),
}

/** Comparisons by their signs. */
export const comparisons: Readonly<Record<string, (left: Value, right: Value) => boolean>> = {
  '==': isEqual,
  '!=': (left, right) => !isEqual(left, right),
  '<': (left, right) => isLess(left, right),
  '<=': (left, right) => isLess(left, right, true),
  '>': (left, right) => isLess(right, left),
  '>=': (left, right) => isLess(right, left, true),
  in: isIn,
  'not in': (left, right) => !isIn(left, right),
  is: isSame,
  'is not': (left, right) => !isSame(left, right),
}
