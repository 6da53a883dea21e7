import {
  ceiling,
  divide,
  floor,
  magnitude,
  minus,
  negate,
  numeric,
  times,
  toCount,
  toFloat,
  type Numeric,
} from '../values/numbers'
import { fixedText } from '../values/fixed-text'
import { needsPython, type Value } from '../values/values'
import type { Call } from './text'

/** Floats from here on have no fraction. */
const WITHOUT_FRACTION = 2 ** 53
/** Powers of ten up to this one are floats. */
const MAX_PLACES = 22

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

function requireSameSign(value: Numeric, factor: Numeric): void {
  if (times(value, factor) < 0) needsPython()
}

function floorTo(value: Numeric, factor: Numeric): Numeric {
  requireSameSign(value, factor)
  return times(factor, floor(divide(value, factor)))
}

function nearest(value: Numeric, factor: Numeric): Numeric {
  requireSameSign(value, factor)
  return times(factor, halfUp(divide(value, factor)))
}

/** The next number away from zero of those that are `rest` beyond an even one. */
function awayFromZero(value: Numeric, rest: bigint): bigint {
  const size = 2n * ceiling(divide(minus(magnitude(value), rest), 2n)) + rest
  return value < 0 ? -size : size
}

/** `round` of Python: halves to the even number, with places by the exact value of the float. */
function roundHalfEven(value: Numeric): bigint {
  if (typeof value === 'bigint') return value
  const below = Math.floor(value)
  const rest = value - below
  if (rest !== 0.5) return floor(rest < 0.5 ? below : below + 1)
  return floor(below % 2 === 0 ? below : below + 1)
}

function roundPlaces(value: Numeric, places: Value): Numeric {
  const digits = toCount(places)
  if (digits < 0 || digits > MAX_PLACES) return needsPython()
  if (typeof value === 'bigint') return value
  if (!Number.isFinite(value)) return needsPython()
  const size = Number(fixedText(Math.abs(value), digits))
  return value < 0 || Object.is(value, -0) ? -size : size
}

/** The functions that round numbers. */
export const roundingFunctions: Readonly<Record<string, Call>> = {
  ROUND: ([value, places = 0n]) => toFloat(rounded(value, places, halfUp)),
  ROUNDUP: ([value, places = 0n]) => rounded(value, places, ceiling),
  ROUNDDOWN: ([value, places = 0n]) => rounded(value, places, floor),
  TRUNC: ([value, places = 0n]) => rounded(value, places, floor),
  CEILING: ([value, factor = 1n]) =>
    times(toRound(factor), ceiling(divide(toRound(value), toRound(factor)))),
  FLOOR: ([value, factor = 1n]) => floorTo(toRound(value), toRound(factor)),
  MROUND: ([value, factor]) => nearest(toRound(value), toRound(factor)),
  EVEN: ([value]) => awayFromZero(toRound(value), 0n),
  ODD: ([value]) => awayFromZero(toRound(value), 1n),
  round: ([value = null, places = null]) =>
    places === null ? roundHalfEven(numeric(value)) : roundPlaces(numeric(value), places),
}
