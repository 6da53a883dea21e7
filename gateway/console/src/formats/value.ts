import { formatDate, formatDateTime } from './date'
import { formatNumber } from './number'

/** A value as people read it, whatever column it stands in: lists begin with a letter that tells their kind. */
export function formatValue(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'string') return value
  if (typeof value === 'number') return formatNumber(value, {})
  if (typeof value === 'boolean') return value ? 'true' : 'false'
  return Array.isArray(value) ? showCoded(value) : JSON.stringify(value)
}

function showCoded(value: readonly unknown[]): string {
  const [code, first, second] = value
  switch (code) {
    case 'L':
      return value.slice(1).map(formatValue).join(', ')
    case 'd':
      return typeof first === 'number' ? formatDate(first) : JSON.stringify(value)
    case 'D':
      return typeof first === 'number' ? showInstant(first, second) : JSON.stringify(value)
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

function showInstant(epoch: number, zone: unknown): string {
  try {
    return formatDateTime(epoch, typeof zone === 'string' ? zone : 'UTC')
  } catch {
    return formatDateTime(epoch, 'UTC')
  }
}

/** The items of a list of the API; undefined for what is no list. */
export function listItems(value: unknown): readonly unknown[] | undefined {
  return Array.isArray(value) && value[0] === 'L' ? value.slice(1) : undefined
}

/** A list as the API takes it; nothing for an empty one. */
export const toList = (items: readonly unknown[]): readonly unknown[] | null =>
  items.length === 0 ? null : ['L', ...items]

/** True for values that are the same to the API. */
export const isSameValue = (one: unknown, other: unknown): boolean =>
  one === other || JSON.stringify(one ?? null) === JSON.stringify(other ?? null)

/** The numbers of rows that a list of the API holds; undefined for what is no such list. */
export function rowIds(value: unknown): readonly number[] | undefined {
  const items = listItems(value)
  return items?.every((item) => typeof item === 'number') ? items : undefined
}
