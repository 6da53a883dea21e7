import {
  DateValue,
  DurationValue,
  ListValue,
  MomentValue,
  needsPython,
  RecordsValue,
  RecordValue,
  type Value,
} from './values'

const SURROGATE = /[\ud800-\udfff]/

/** True for text in which a character is not one unit of JavaScript's strings, so that Python counts otherwise. */
export function hasWideCharacters(text: string): boolean {
  return SURROGATE.test(text)
}

type Comparable = bigint | number | string

/** The value in the order of its kind; undefined for kinds without an order. */
function ordered(value: Value): Comparable | undefined {
  if (typeof value === 'boolean') return value ? 1 : 0
  if (typeof value === 'string') return hasWideCharacters(value) ? needsPython() : value
  if (typeof value === 'number' || typeof value === 'bigint') return value
  return undefined
}

/** Two dates, times or differences as numbers in their order: times within a zone by the clock. */
function timesOf(left: Value, right: Value): [number, number] | undefined {
  if (left instanceof DateValue && right instanceof DateValue) return [left.days, right.days]
  if (left instanceof DurationValue && right instanceof DurationValue)
    return [left.seconds, right.seconds]
  if (!(left instanceof MomentValue) || !(right instanceof MomentValue)) return undefined
  return left.zone === right.zone ? [left.local, right.local] : [left.seconds, right.seconds]
}

/** `left < right`, and `left <= right` with `orEqual`. Comparing what has no common order is an error, which is Python's. */
export function isLess(left: Value, right: Value, orEqual = false): boolean {
  const [a, b] = timesOf(left, right) ?? [ordered(left), ordered(right)]
  if (a === undefined || b === undefined) return needsPython()
  if ((typeof a === 'string') !== (typeof b === 'string')) return needsPython()
  return orEqual ? a <= b : a < b
}

/** `left == right`. */
export function isEqual(left: Value, right: Value): boolean {
  if (left === null || right === null) return left === right
  if (typeof left === 'object' || typeof right === 'object') return isEqualObject(left, right)
  if (typeof left === 'string' || typeof right === 'string') return left === right
  // eslint-disable-next-line eqeqeq -- 1n, 1.0 and True are equal
  return left == right
}

function isEqualObject(left: Value, right: Value): boolean {
  if (left instanceof ListValue || right instanceof ListValue) return needsPython()
  if (left instanceof RecordsValue || right instanceof RecordsValue) return needsPython()
  if (left instanceof RecordValue && right instanceof RecordValue)
    return left.table === right.table && left.row === right.row
  const times = timesOf(left, right)
  if (!times) return false
  // In other zones, a time whose clock is repeated is equal to none.
  const isLocal = !(
    left instanceof MomentValue &&
    right instanceof MomentValue &&
    left.zone !== right.zone
  )
  return isLocal ? times[0] === times[1] : needsPython()
}

/** `item in container`. */
export function isIn(item: Value, container: Value): boolean {
  // Python finds the very NaN that is in a list.
  if (Number.isNaN(item)) return needsPython()
  if (typeof container === 'string')
    return typeof item === 'string' ? container.includes(item) : needsPython()
  if (container instanceof ListValue) return container.items.some((other) => isEqual(item, other))
  if (container instanceof RecordsValue && item instanceof RecordValue)
    return item.table === container.table && container.rows.includes(item.row)
  return needsPython()
}

/** `left is right` for None, True and False, of which there is one each. */
export function isSame(left: Value, right: Value): boolean {
  const isSingle = (value: Value) => value === null || typeof value === 'boolean'
  return isSingle(left) || isSingle(right) ? left === right : needsPython()
}
