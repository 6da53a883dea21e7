import type { RowValue } from './row-writer'

/**
 * The JSON of a value: whole numbers with all digits, non-finite numbers as null, bytes as Node serialises a
 * Buffer.
 */
export function valueJson(value: RowValue): string {
  if (typeof value === 'bigint') return String(value)
  if (isList(value)) return `[${value.map(valueJson).join(',')}]`
  return JSON.stringify(value)
}

/** The text of a value in untyped formats such as CSV, with bytes in hexadecimal; undefined for null. */
export function valueText(value: RowValue): string | undefined {
  if (value === null || (typeof value === 'number' && !Number.isFinite(value))) return undefined
  if (typeof value === 'string') return value
  return Buffer.isBuffer(value) ? value.toString('hex') : valueJson(value)
}

function isList(value: RowValue): value is readonly RowValue[] {
  return Array.isArray(value)
}
