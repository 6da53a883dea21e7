import { formatDate, formatDateTime } from './date'
import { formatNumber } from './number'

/** Formats a value for display, independent of a column. Arrays start with a type code. */
export function formatValue(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'string') return value
  if (typeof value === 'number') return formatNumber(value, {})
  if (typeof value === 'boolean') return value ? 'true' : 'false'
  if (isPending(value)) return 'pending…'
  return Array.isArray(value) ? formatCoded(value) : JSON.stringify(value)
}

function formatCoded(value: readonly unknown[]): string {
  const [code, first, second] = value
  switch (code) {
    case 'L':
      return value.slice(1).map(formatValue).join(', ')
    case 'd':
      return typeof first === 'number' ? formatDate(first) : JSON.stringify(value)
    case 'D':
      return typeof first === 'number' ? formatInstant(first, second) : JSON.stringify(value)
    case 'R':
      return `${formatValue(first)}[${formatValue(second)}]`
    case 'r':
      return `${formatValue(first)}[${Array.isArray(second) ? second.map(formatValue).join(', ') : ''}]`
    case 'E':
      return `#${formatValue(first)}`
    case 'U':
      return formatValue(first)
    case 'O':
      return JSON.stringify(first)
    default:
      return JSON.stringify(value)
  }
}

function formatInstant(epoch: number, zone: unknown): string {
  try {
    return formatDateTime(epoch, typeof zone === 'string' ? zone : 'UTC')
  } catch {
    return formatDateTime(epoch, 'UTC')
  }
}

/** Returns the class name of a cell with an error of its formula; undefined for other values. */
export function errorName(value: unknown): string | undefined {
  return Array.isArray(value) && value[0] === 'E' ? formatValue(value[1]) : undefined
}

/** Returns true for a cell that its formula has not computed yet. */
export const isPending = (value: unknown): boolean => Array.isArray(value) && value[0] === 'P'

/** Returns the items of a list value; undefined for other values. */
export function listItems(value: unknown): readonly unknown[] | undefined {
  return Array.isArray(value) && value[0] === 'L' ? value.slice(1) : undefined
}

/** Returns a list value for the API; null for an empty list. */
export const toList = (items: readonly unknown[]): readonly unknown[] | null =>
  items.length === 0 ? null : ['L', ...items]

/** Returns true if two values are equal to the API. */
export const isSameValue = (one: unknown, other: unknown): boolean =>
  one === other || JSON.stringify(one ?? null) === JSON.stringify(other ?? null)

/** Returns the row ids in a list value; undefined for other values. */
export function rowIds(value: unknown): readonly number[] | undefined {
  const items = listItems(value)
  return items?.every((item) => typeof item === 'number') ? items : undefined
}
