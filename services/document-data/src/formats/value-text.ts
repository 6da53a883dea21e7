import type { RowValue } from './row-writer'

/** The JSON of a value: whole numbers in all their digits, what is not finite as null, bytes as Node writes a Buffer. */
export function valueJson(value: RowValue): string {
  if (typeof value === 'bigint') return String(value)
  if (isList(value)) return `[${value.map(valueJson).join(',')}]`
  return JSON.stringify(value)
}

/** The text of a value where values have no type, as in CSV: bytes in hexadecimal; undefined for none. */
export function valueText(value: RowValue): string | undefined {
  if (value === null || (typeof value === 'number' && !Number.isFinite(value))) return undefined
  if (typeof value === 'string') return value
  return Buffer.isBuffer(value) ? value.toString('hex') : valueJson(value)
}

function isList(value: RowValue): value is readonly RowValue[] {
  return Array.isArray(value)
}
