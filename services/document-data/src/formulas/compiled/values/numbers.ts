import { isoText } from './moments'
import { isTime, needsPython, raise, RecordValue, type Value } from './values'

/** A number of Python: an `int` or a `float`. */
export type Numeric = bigint | number

/** Magnitude up to which every whole number is a float. */
const MAX_WHOLE = 2n ** 53n
/** Digits of integers beyond which Python is asked. */
const MAX_BITS = 4096n
/** From here on Python writes a float with an exponent. */
const EXPONENT_FROM = 1e16
const EXPONENT_BELOW = 1e-4

/** A value as a number: booleans are numbers. Anything else is Python's. */
export function numeric(value: Value): Numeric {
  if (typeof value === 'number' || typeof value === 'bigint') return value
  if (typeof value === 'boolean') return value ? 1n : 0n
  return needsPython()
}

/** A number as a float. */
export function toFloat(value: Numeric): number {
  if (typeof value === 'number') return value
  const float = Number(value)
  // Python raises an OverflowError.
  return Number.isFinite(float) ? float : needsPython()
}

/** A whole number that is small enough to count with. */
export function toCount(value: Value): number {
  const number = typeof value === 'boolean' ? BigInt(value) : value
  if (typeof number !== 'bigint' || number > 1_000_000n || number < -1_000_000n)
    return needsPython()
  return Number(number)
}

function bounded(value: bigint): bigint {
  return value < 1n << MAX_BITS && -value < 1n << MAX_BITS ? value : needsPython()
}

/** Two numbers as Python brings them to one type: both whole, or both floats. */
function together<T>(
  left: Numeric,
  right: Numeric,
  whole: (a: bigint, b: bigint) => T,
  float: (a: number, b: number) => T,
): T {
  if (typeof left === 'bigint' && typeof right === 'bigint') return whole(left, right)
  return float(toFloat(left), toFloat(right))
}

/** `left + right` of numbers. */
export function plus(left: Numeric, right: Numeric): Numeric {
  return together<Numeric>(
    left,
    right,
    (a, b) => bounded(a + b),
    (a, b) => a + b,
  )
}

/** `left - right` of numbers. */
export function minus(left: Numeric, right: Numeric): Numeric {
  return together<Numeric>(
    left,
    right,
    (a, b) => bounded(a - b),
    (a, b) => a - b,
  )
}

/** `left * right` of numbers. */
export function times(left: Numeric, right: Numeric): Numeric {
  return together<Numeric>(
    left,
    right,
    (a, b) => bounded(a * b),
    (a, b) => a * b,
  )
}

/** `left / right`. */
export function divide(left: Numeric, right: Numeric): number {
  // eslint-disable-next-line eqeqeq -- 0n is 0
  if (right == 0) return raise('ZeroDivisionError', 'division by zero')
  if (typeof left === 'bigint' && typeof right === 'bigint') {
    const isExact = (value: bigint) => value <= MAX_WHOLE && value >= -MAX_WHOLE
    // Python rounds the quotient of large integers once.
    if (!isExact(left) || !isExact(right)) return needsPython()
  }
  return toFloat(left) / toFloat(right)
}

/** `left // right`. */
export function floorDivide(left: Numeric, right: Numeric): Numeric {
  return divideAndModulo(left, right)[0]
}

/** `left % right`. */
export function modulo(left: Numeric, right: Numeric): Numeric {
  return divideAndModulo(left, right)[1]
}

function divideAndModulo(left: Numeric, right: Numeric): [Numeric, Numeric] {
  // eslint-disable-next-line eqeqeq -- 0n is 0
  if (right == 0) return raise('ZeroDivisionError', 'division by zero')
  return together<[Numeric, Numeric]>(left, right, wholeDivision, floatDivision)
}

function wholeDivision(a: bigint, b: bigint): [bigint, bigint] {
  const rest = a % b
  // BigInt truncates, Python rounds down.
  const isBelow = rest !== 0n && rest < 0n !== b < 0n
  return isBelow ? [a / b - 1n, rest + b] : [a / b, rest]
}

/** The steps of `float_divmod` in CPython's `Objects/floatobject.c`, which decide the last bit. */
function floatDivision(a: number, b: number): [number, number] {
  let rest = a % b
  let quotient = (a - rest) / b
  if (rest === 0) rest = b < 0 ? -0 : 0
  else if (b < 0 !== rest < 0) {
    rest += b
    quotient -= 1
  }
  if (quotient === 0) return [a / b < 0 || Object.is(a / b, -0) ? -0 : 0, rest]
  const floor = Math.floor(quotient)
  return [quotient - floor > 0.5 ? floor + 1 : floor, rest]
}

/** `base ** exponent`, where the result is exact: programs compute other powers differently in the last bit. */
export function power(base: Numeric, exponent: Numeric): Numeric {
  if (typeof exponent === 'number' && !Number.isInteger(exponent)) return needsPython()
  const times = BigInt(exponent)
  if (times < 0n || times > MAX_BITS) return needsPython()
  const isWhole = typeof base === 'bigint' && typeof exponent === 'bigint'
  return isWhole ? wholePower(base, times) : floatPower(toFloat(base), times)
}

function wholePower(base: bigint, times: bigint): bigint {
  const bits = BigInt((base < 0n ? -base : base).toString(2).length)
  return bits * times > MAX_BITS ? needsPython() : base ** times
}

function floatPower(base: number, times: bigint): number {
  if (!Number.isSafeInteger(base) || Object.is(base, -0) || times > 64n) return needsPython()
  const result = BigInt(base) ** times
  return result <= MAX_WHOLE && result >= -MAX_WHOLE ? Number(result) : needsPython()
}

/** `-value`. */
export function negate(value: Numeric): Numeric {
  return -value
}

/** `abs(value)`. */
export function magnitude(value: Numeric): Numeric {
  if (typeof value === 'number') return Math.abs(value)
  return value < 0n ? -value : value
}

/** Whole part towards negative infinity, as an `int`. */
export function floor(value: Numeric): bigint {
  return typeof value === 'bigint' ? value : wholeOf(Math.floor(value))
}

/** Whole part towards positive infinity, as an `int`. */
export function ceiling(value: Numeric): bigint {
  return typeof value === 'bigint' ? value : wholeOf(Math.ceil(value))
}

/** Whole part towards zero, as an `int`. */
export function truncate(value: Numeric): bigint {
  return typeof value === 'bigint' ? value : wholeOf(Math.trunc(value))
}

/** A float without a fraction as an `int`; infinity and NaN have none. */
function wholeOf(value: number): bigint {
  return Number.isFinite(value) ? BigInt(value) : needsPython()
}

/** `repr` of a float: the shortest digits, with `.0` or an exponent as Python writes them. */
export function floatText(value: number): string {
  if (Number.isNaN(value)) return 'nan'
  if (!Number.isFinite(value)) return value < 0 ? '-inf' : 'inf'
  if (Object.is(value, -0)) return '-0.0'
  const size = Math.abs(value)
  if (size === 0 || (size >= EXPONENT_BELOW && size < EXPONENT_FROM))
    return Number.isInteger(value) ? `${value}.0` : String(value)
  const [digits = '', exponent = ''] = value.toExponential().split('e')
  const places = exponent.slice(1).padStart(2, '0')
  return `${digits}e${exponent.startsWith('-') ? '-' : '+'}${places}`
}

/** `str(value)`; texts of lists are Python's. */
export function textOf(value: Value): string {
  if (typeof value === 'string') return value
  if (value === null) return 'None'
  if (typeof value === 'boolean') return value ? 'True' : 'False'
  if (typeof value === 'bigint') return String(value)
  if (typeof value === 'number') return floatText(value)
  if (isTime(value)) return isoText(value, ' ')
  if (value instanceof RecordValue) return `${value.table.tableId}[${value.row}]`
  return needsPython()
}
