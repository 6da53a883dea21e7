import type { Column } from '../api/resources'

const DAY_MS = 86_400_000

/** A cell as people read it; what is no value of its column's type is shown as it is. */
export function showCell(value: unknown, { fields: { type } }: Column): string {
  if (value === null || value === undefined) return ''
  if (Array.isArray(value)) return showList(value)
  if (typeof value === 'number') return showNumber(value, type)
  if (typeof value === 'boolean') return value ? '✓' : '✗'
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** Lists begin with a letter that tells their kind. */
function showList(value: readonly unknown[]): string {
  const [kind, ...items] = value
  if (kind !== 'L') return JSON.stringify(value)
  return items.map((item) => (typeof item === 'string' ? item : JSON.stringify(item))).join(', ')
}

function showNumber(value: number, type: string): string {
  if (type !== 'Date' && !type.startsWith('DateTime')) return String(value)
  const date = new Date(value * 1000)
  if (Number.isNaN(date.getTime())) return String(value)
  if (type === 'Date' && (value * 1000) % DAY_MS === 0) return date.toISOString().slice(0, 10)
  const zone = type.slice('DateTime:'.length) || 'UTC'
  try {
    return date.toLocaleString(undefined, { timeZone: zone })
  } catch {
    return date.toISOString()
  }
}
