import { hasWideCharacters, isLess } from '../values/comparison'
import {
  divide,
  floor,
  magnitude,
  modulo,
  numeric,
  plus,
  power,
  times,
  toCount,
  toFloat,
  truncate,
  type Numeric,
} from '../values/numbers'
import {
  isTime,
  isTrue,
  ListValue,
  needsPython,
  RecordsValue,
  RecordValue,
  type Value,
} from '../values/values'
import { spreadsheetDays } from './date-functions'
import { itemsOf, type Call } from './text'

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
      // Python begins with 0, so that no sum is -0.0.
      high = value + 0
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
  const found = flatten(args).filter((value) => isProperNumber(value) || isTime(value))
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

/** Numbers in ascending order; those that compare with none are Python's. */
function ordered(numbers: readonly Numeric[]): Numeric[] {
  if (numbers.some((value) => Number.isNaN(value))) return needsPython()
  return [...numbers].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0))
}

function median(args: readonly Value[]): Value {
  const numbers = ordered(flatten(args).filter(isProperNumber))
  const middle = Math.floor(numbers.length / 2)
  const [below, above] = [numbers[middle - 1], numbers[middle]]
  if (above === undefined) return needsPython()
  if (numbers.length % 2 === 1 || below === undefined) return above
  return divide(plus(below, above), 2n)
}

/** The number at a place of a list, which `index` makes of the place. */
function placeOf(
  list: Value | undefined,
  place: Value | undefined,
  index: (numbers: readonly Numeric[], at: number) => number,
): Value {
  const numbers = ordered(flatten([list ?? null]).filter(isProperNumber))
  return numbers[index(numbers, toCount(place ?? null))] ?? needsPython()
}

function sumOfProducts(args: readonly Value[]): Value {
  const lists = args.map((list) =>
    list instanceof ListValue ? list.items.map(numeric) : needsPython(),
  )
  const count = Math.min(...lists.map(({ length }) => length))
  const products = Array.from({ length: count }, (_, at) =>
    lists.reduce<Numeric>((product, list) => times(product, list[at] ?? 0n), 1n),
  )
  return exactSum(products)
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
    BigInt(flatten(args).filter((value) => isProperNumber(value) || isTime(value)).length),
  COUNTA: (args) => BigInt(flatten(args).filter((value) => value !== null).length),
  COUNTBLANK: (args) =>
    BigInt(flatten(args).filter((value) => value === null || value === '').length),
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
  N: ([value = null]) => (isNumber(value) ? value : isTime(value) ? spreadsheetDays(value) : 0n),
  NUM: ([value = null]) =>
    typeof value === 'number' && Number.isInteger(value) ? BigInt(value) : value,
  POWER: ([base = null, exponent = null]) =>
    toFloat(power(toFloat(numeric(base)), toFloat(numeric(exponent)))),
  ISEVEN: one((value) => truncate(value) % 2n === 0n),
  ISODD: one((value) => truncate(value) % 2n !== 0n),
  ISNONTEXT: ([value]) => typeof value !== 'string',
  ISREF: ([value]) => value instanceof RecordValue,
  ISREFLIST: ([value]) => value instanceof RecordsValue,
  ISNA: ([value]) => Number.isNaN(value),
  SUMPRODUCT: sumOfProducts,
  SUMSQ: (args) =>
    exactSum(
      flatten(args)
        .filter(isProperNumber)
        .map((value) => times(value, value)),
    ),
  MEDIAN: median,
  LARGE: ([list, place]) => placeOf(list, place, (numbers, at) => numbers.length - at),
  SMALL: ([list, place]) => placeOf(list, place, (_, at) => at - 1),
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
  if (typeof value === 'string' && !hasWideCharacters(value)) return BigInt(value.length)
  if (value instanceof ListValue) return BigInt(value.items.length)
  return value instanceof RecordsValue ? BigInt(value.rows.length) : needsPython()
}

/** Python keeps the order of equal items, also in descending order. */
function sorted(items: readonly Value[], isReversed: boolean): Value[] {
  // Comparing NaN, or kinds without an order, is left to Python.
  if (items.some((item) => Number.isNaN(item))) return needsPython()
  const sign = isReversed ? -1 : 1
  return [...items].sort((a, b) => (isLess(a, b) ? -sign : isLess(b, a) ? sign : 0))
}

/** Functions of Python; those about text and truth are in `functions.ts`. */
export const pythonNumberFunctions: Readonly<Record<string, Call>> = {
  abs: one(magnitude),
  sum: ([list, ...more]) =>
    list instanceof ListValue && more.length === 0 ? exactSum(list.items) : needsPython(),
  max: (args) => extremeIn(args, isGreater),
  min: (args) => extremeIn(args, isSmaller),
  int: ([value = 0n]) => toInt(value),
  float: ([value = 0]) => toFloatValue(value),
  len: ([value = null]) => sizeOf(value),
  any: ([list]) => itemsOf(list).some(isTrue),
  all: ([list]) => itemsOf(list).every(isTrue),
  list: ([list]) => new ListValue(itemsOf(list)),
  tuple: ([list]) => new ListValue(itemsOf(list), true),
  sorted: ([list, isReversed = false]) => new ListValue(sorted(itemsOf(list), isTrue(isReversed))),
}
