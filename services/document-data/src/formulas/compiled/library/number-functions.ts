import { isLess } from '../values/comparison'
import {
  ceiling,
  divide,
  floor,
  magnitude,
  modulo,
  negate,
  numeric,
  plus,
  times,
  toCount,
  toFloat,
  truncate,
  type Numeric,
} from '../values/numbers'
import {
  DateValue,
  ListValue,
  needsPython,
  RecordsValue,
  RecordValue,
  type Value,
} from '../values/values'
import type { Call } from './text-functions'

/** Floats from here on have no fraction. */
const WITHOUT_FRACTION = 2 ** 53
/** Powers of ten up to this one are floats. */
const MAX_PLACES = 22

function isNumber(value: Value): value is Numeric | boolean {
  return typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean'
}

/** True for numbers that are no booleans. */
function isProperNumber(value: Value): value is Numeric {
  return typeof value === 'number' || typeof value === 'bigint'
}

/** The arguments, with the items of lists in place of the lists. Records among them are Python's. */
function flatten(args: readonly Value[]): Value[] {
  return args.flatMap((value): readonly Value[] => {
    if (value instanceof RecordsValue || value instanceof RecordValue) return needsPython()
    return value instanceof ListValue ? value.items : [value]
  })
}

/** A number as ROUND and its like take it. */
function toRound(value: Value | undefined): Numeric {
  return typeof value === 'number' || typeof value === 'bigint' ? value : needsPython()
}

/**
 * Scales the magnitude by a power of ten, makes it whole and scales it back. Integers are rounded to tens and more by
 * Python.
 */
function rounded(
  value: Value | undefined,
  places: Value,
  whole: (size: number) => bigint,
): Numeric {
  const number = toRound(value)
  const digits = toCount(places)
  const isNegative = number < 0
  if (digits < 0 || digits > MAX_PLACES) return needsPython()
  if (digits === 0) {
    const size = typeof number === 'bigint' ? magnitude(number) : whole(Math.abs(number))
    return isNegative ? negate(size) : size
  }
  if (typeof number === 'bigint') return number
  const scale = Number(`1e${digits}`)
  const scaled = Math.abs(number) * scale
  if (scaled >= WITHOUT_FRACTION || Number.isNaN(scaled)) return number
  const result = Number(whole(scaled)) / scale
  return isNegative ? -result : result
}

function halfUp(size: number): bigint {
  const below = Math.floor(size)
  return floor(size - below >= 0.5 ? below + 1 : below)
}

/** Adds as Python's `SUM` does, one after the other. */
function sum(values: readonly Value[]): Value {
  let total: Numeric = 0n
  for (const value of values) if (isNumber(value)) total = plus(total, numeric(value))
  return total
}

/**
 * Adds as Python's `sum` does, which compensates the errors of floats (`Python/bltinmodule.c`). Mixed numbers are
 * Python's.
 */
function exactSum(values: readonly Value[]): Numeric {
  if (values.every((value) => typeof value === 'bigint')) return toSumOfWhole(values)
  let [high, low] = [0, 0]
  values.forEach((value, index) => {
    if (typeof value !== 'number' || !Number.isFinite(value)) return needsPython()
    if (index === 0) {
      high = value
      return
    }
    const total = high + value
    low += Math.abs(high) >= Math.abs(value) ? high - total + value : value - total + high
    high = total
  })
  return low !== 0 && Number.isFinite(low) ? high + low : high
}

function toSumOfWhole(values: readonly bigint[]): Numeric {
  return values.reduce<Numeric>((total, value) => plus(total, value), 0n)
}

/** The first value that no other one is before. */
function extreme(values: readonly Value[], isBefore: (a: Value, b: Value) => boolean): Value {
  return values.reduce((best, value) => (isBefore(value, best) ? value : best))
}

const isGreater = (a: Value, b: Value) => isLess(b, a)
const isSmaller = (a: Value, b: Value) => isLess(a, b)

/** MAX and MIN: of numbers or of dates; 0 without any. */
function extremeOf(args: readonly Value[], isBefore: (a: Value, b: Value) => boolean): Value {
  const found = flatten(args).filter((value) => isProperNumber(value) || value instanceof DateValue)
  return found.length === 0 ? 0n : extreme(found, isBefore)
}

/** `max` and `min` of Python: of several arguments, or of the items of one. */
function extremeIn(args: readonly Value[], isBefore: (a: Value, b: Value) => boolean): Value {
  const [first] = args
  const values = args.length > 1 ? args : first instanceof ListValue ? first.items : needsPython()
  return values.length === 0 ? needsPython() : extreme(values, isBefore)
}

function average(args: readonly Value[]): Value {
  const numbers = flatten(args).filter(isProperNumber)
  return divide(exactSum(numbers), numbers.length)
}

/** `round` of Python without places: halves to the even number. */
function roundHalfEven(value: Numeric): bigint {
  if (typeof value === 'bigint') return value
  const below = Math.floor(value)
  const rest = value - below
  if (rest !== 0.5) return floor(rest < 0.5 ? below : below + 1)
  return floor(below % 2 === 0 ? below : below + 1)
}

function squareRoot(value: Numeric): number {
  const float = toFloat(value)
  return float >= 0 ? Math.sqrt(float) : needsPython()
}

/** The only argument of a function. */
const one =
  (call: (value: Numeric) => Value): Call =>
  ([value = null]) =>
    call(numeric(value))

/** Functions of the library about numbers. */
export const numberFunctions: Readonly<Record<string, Call>> = {
  ABS: one(magnitude),
  SIGN: one((value) => (value > 0 ? 1n : value < 0 ? -1n : value === value ? 0n : needsPython())),
  PI: () => Math.PI,
  MOD: ([a = null, b = null]) => modulo(numeric(a), numeric(b)),
  QUOTIENT: ([a = null, b = null]) => truncate(divide(numeric(a), numeric(b))),
  SQRT: one(squareRoot),
  SUM: (args) => sum(flatten(args)),
  PRODUCT: (args) =>
    flatten(args)
      .filter(isNumber)
      .reduce<Numeric>((total, value) => times(total, numeric(value)), 1n),
  MAX: (args) => extremeOf(args, isGreater),
  MIN: (args) => extremeOf(args, isSmaller),
  AVERAGE: average,
  COUNT: (args) =>
    BigInt(
      flatten(args).filter((value) => isProperNumber(value) || value instanceof DateValue).length,
    ),
  COUNTA: (args) => BigInt(flatten(args).filter((value) => value !== null).length),
  COUNTBLANK: (args) =>
    BigInt(flatten(args).filter((value) => value === null || value === '').length),
  ROUND: ([value, places = 0n]) => toFloat(rounded(value, places, halfUp)),
  ROUNDUP: ([value, places = 0n]) => rounded(value, places, ceiling),
  ROUNDDOWN: ([value, places = 0n]) => rounded(value, places, floor),
  TRUNC: ([value, places = 0n]) => rounded(value, places, floor),
  INT: one(floor),
  ISNUMBER: ([value = null]) => isNumber(value),
  ISTEXT: ([value = null]) => typeof value === 'string',
  ISLOGICAL: ([value = null]) => typeof value === 'boolean',
  ISBLANK: ([value = null]) => {
    if (value instanceof ListValue) return value.items.length === 0
    if (value instanceof RecordsValue) return value.rows.length === 0
    if (value instanceof RecordValue) return value.row === 0
    return value === null || value === ''
  },
  N: ([value = null]) =>
    isNumber(value) ? value : value instanceof DateValue ? needsPython() : 0n,
}

/** The whole number of text or of a number, as `int` takes it. */
function toInt(value: Value): bigint {
  if (typeof value === 'string')
    return /^[+-]?\d{1,18}$/.test(value) ? BigInt(value.replace(/^\+/, '')) : needsPython()
  return truncate(numeric(value))
}

function toFloatValue(value: Value): number {
  if (typeof value !== 'string') return toFloat(numeric(value))
  return /^[+-]?\d+(\.\d*)?$/.test(value) ? Number(value) : needsPython()
}

function sizeOf(value: Value): bigint {
  if (value instanceof ListValue) return BigInt(value.items.length)
  return value instanceof RecordsValue ? BigInt(value.rows.length) : needsPython()
}

/** Functions of Python; those about text and truth are in `functions.ts`. */
export const pythonNumberFunctions: Readonly<Record<string, Call>> = {
  abs: one(magnitude),
  sum: ([list, ...more]) =>
    list instanceof ListValue && more.length === 0 ? exactSum(list.items) : needsPython(),
  max: (args) => extremeIn(args, isGreater),
  min: (args) => extremeIn(args, isSmaller),
  round: ([value = null, ...more]) =>
    more.length === 0 ? roundHalfEven(numeric(value)) : needsPython(),
  int: ([value = 0n]) => toInt(value),
  float: ([value = 0]) => toFloatValue(value),
  len: ([value = null]) => sizeOf(value),
}
