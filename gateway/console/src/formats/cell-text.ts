import type { Column } from '../api/resources'
import { anyText, readAny } from './any-value'
import { zoneOf } from './time-zone'
import { dateText, fieldText, readTyped } from './date'
import { numberText, readNumber } from './number'
import { formatCell } from './cell'
import { formatValue } from './value'

const typeName = ({ fields }: Column): string => fields.type.split(':', 1)[0] ?? ''

/**
 * Returns a cell as text that `readCell` parses back: numbers with all digits, dates in ISO order. Values
 * without such a text are formatted for display.
 */
export function cellText(value: unknown, column: Column): string {
  if (typeof value !== 'number') return formatValue(value)
  switch (typeName(column)) {
    case 'Date':
      return fieldText(value) ?? dateText(value)
    case 'DateTime':
      return timeText(value, zoneOf(column.fields.type))
    case 'Any':
      return anyText(value)
    case 'Ref':
      return formatCell(value, column)
    default:
      return numberText(value)
  }
}

function timeText(value: number, zone: string): string {
  const text = Number.isInteger(value) ? fieldText(value, zone) : undefined
  return text?.replace('T', ' ') ?? dateText(value)
}

/**
 * Parses text as a value of a column. Numbers and dates are parsed in the locale of the browser. Other text is
 * left to the API, which accepts more formats and keeps the rest as text.
 */
export function readCell(text: string, column: Column): unknown {
  switch (typeName(column)) {
    case 'Numeric':
    case 'Int':
      return text.trim() === '' ? null : (readNumber(text) ?? text)
    case 'Date':
      return readTyped(text)
    case 'DateTime':
      return readTyped(text, zoneOf(column.fields.type))
    case 'Any':
      return readAny(text)
    default:
      return text
  }
}
