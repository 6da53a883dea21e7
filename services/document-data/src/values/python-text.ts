import { dateText, dateTimeText } from './dates/date-text'

/**
 * Texts of values in the format that clients of this API expect: those of Python's str() and repr(), because
 * a value that does not fit its column is stored as such text.
 */

/**
 * Text of a number in a Text column: whole numbers up to 2^53 in full, others with up to 15 significant
 * digits.
 */
function numberText(value: number): string {
  if (Number.isInteger(value) && Math.abs(value) <= 2 ** 53) return String(value === 0 ? 0 : value)
  if (!Number.isFinite(value)) return notFiniteText(value)
  return exponentText(value.toExponential(14), 15)
}

/** Text of a float: `5.0`, `1e+16`; the shortest digits that parse to the same value. */
export function floatText(value: number): string {
  if (!Number.isFinite(value)) return notFiniteText(value)
  const text = exponentText(value.toExponential(), 16)
  return /[.e]/.test(text) ? text : `${text}.0`
}

function notFiniteText(value: number): string {
  if (Number.isNaN(value)) return 'nan'
  return value > 0 ? 'inf' : '-inf'
}

/** Converts `d.ddde±x` to fixed notation below 10^limit and above 10^-5, otherwise to `d.dde±0x`. */
function exponentText(exponential: string, limit: number): string {
  const [mantissa = '', power = '0'] = exponential.split('e')
  const sign = mantissa.startsWith('-') ? '-' : ''
  const digits = mantissa.replace(/[-.]/g, '').replace(/0+$/, '') || '0'
  const exponent = Number(power)
  if (exponent < -4 || exponent >= limit) {
    const point = digits.length > 1 ? `.${digits.slice(1)}` : ''
    const padded = String(Math.abs(exponent)).padStart(2, '0')
    return `${sign}${digits.charAt(0)}${point}e${exponent < 0 ? '-' : '+'}${padded}`
  }
  return sign + fixedText(digits, exponent)
}

/** Inserts the decimal point after the first `exponent + 1` digits. */
function fixedText(digits: string, exponent: number): string {
  if (exponent < 0) return `0.${'0'.repeat(-exponent - 1)}${digits}`
  if (digits.length <= exponent + 1) return digits.padEnd(exponent + 1, '0')
  return `${digits.slice(0, exponent + 1)}.${digits.slice(exponent + 1)}`
}

/** Text of any cell, as stored in a Text column. */
export function cellText(cell: unknown): string {
  if (typeof cell === 'string') return cell
  if (Array.isArray(cell)) return codedText(cell)
  return plainText(cell)
}

function plainText(value: unknown): string {
  switch (typeof value) {
    case 'string':
      return quoted(value)
    case 'number':
      return numberText(value)
    case 'boolean':
      return value ? 'True' : 'False'
    default:
      return value === null || value === undefined ? 'None' : dictText(value)
  }
}

function codedText(cell: readonly unknown[]): string {
  const [code, first, second] = cell
  switch (code) {
    case 'L':
      return listText(cell.slice(1))
    case 'O':
      return plainText(first)
    case 'd':
      return (typeof first === 'number' ? dateText(first) : undefined) ?? JSON.stringify(cell)
    case 'D':
      return timeText(first, second) ?? JSON.stringify(cell)
    case 'U':
      return typeof first === 'string' ? first : JSON.stringify(cell)
    default:
      return JSON.stringify(cell)
  }
}

function timeText(seconds: unknown, zone: unknown): string | undefined {
  if (typeof seconds !== 'number' || typeof zone !== 'string') return undefined
  return dateTimeText(seconds, zone)
}

function itemText(item: unknown): string {
  return Array.isArray(item) ? codedText(item) : plainText(item)
}

function listText(items: readonly unknown[]): string {
  return `[${items.map(itemText).join(', ')}]`
}

function dictText(value: object): string {
  const entries = Object.entries(value).map(([key, item]) => `${quoted(key)}: ${itemText(item)}`)
  return `{${entries.join(', ')}}`
}

/** Quotes text with single quotes, or with double quotes if that avoids escapes. */
function quoted(text: string): string {
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'"
  const escaped = text
    .replace(/\\/g, '\\\\')
    .replace(/\n/g, '\\n')
    .replace(/\r/g, '\\r')
    .replace(/\t/g, '\\t')
  return quote + (quote === "'" ? escaped.replace(/'/g, "\\'") : escaped) + quote
}
