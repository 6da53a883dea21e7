import { isEqual, isIn, isLess, isSame } from './comparison'
import { divide, floorDivide, minus, modulo, numeric, plus, power, times, toCount } from './numbers'
import { percentFormat } from './percent-format'
import { bounded, MAX_TEXT } from './text-bounds'
import { DateValue, DaysValue, ListValue, needsPython, type Value } from './values'

/** Days of 0001-01-01 and 9999-12-31, between which Python has dates. */
const FIRST_DAY = -719_162
const LAST_DAY = 2_932_896
/** Items of a list that operators make at most; Python makes longer ones. */
const MAX_ITEMS = 10_000

/** A date some days after 1970-01-01, if Python has it. */
export function dateOf(days: number): DateValue {
  return days >= FIRST_DAY && days <= LAST_DAY ? new DateValue(days) : needsPython()
}

function add(left: Value, right: Value): Value {
  if (typeof left === 'string' && typeof right === 'string') return bounded(left + right)
  if (left instanceof ListValue && right instanceof ListValue) return concatenated(left, right)
  if (left instanceof DateValue && right instanceof DaysValue) return dateOf(left.days + right.days)
  if (left instanceof DaysValue && right instanceof DateValue) return dateOf(left.days + right.days)
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
  if (left instanceof DateValue && right instanceof DateValue)
    return new DaysValue(left.days - right.days)
  if (left instanceof DateValue && right instanceof DaysValue) return dateOf(left.days - right.days)
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
