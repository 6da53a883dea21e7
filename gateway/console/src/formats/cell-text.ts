import type { Column } from '../api/resources'
import { anyText, readAny } from './any-value'
import { zoneOf } from './time-zone'
import { dateText, fieldText, readTyped } from './date'
import { formatOrder } from './date-format'
import { numberText, readFormatted } from './number'
import { formatCell } from './cell'
import { formatValue } from './value'
import { widgetOptions } from './widget-options'

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
 * Parses text as a value of a column. Numbers are parsed in the locale of the browser, and dates in the order of the format of the
 * column or else of that locale. Other text is left to the API, which accepts more formats and keeps the rest as text.
 */
export function readCell(text: string, column: Column): unknown {
  switch (typeName(column)) {
    case 'Numeric':
    case 'Int':
      return text.trim() === '' ? null : (readFormatted(text, widgetOptions(column)) ?? text)
    case 'Date':
      return readTyped(text, undefined, formatOrder(widgetOptions(column)))
    case 'DateTime':
      return readTyped(text, zoneOf(column.fields.type), formatOrder(widgetOptions(column)))
    case 'Any':
      return readAny(text)
    default:
      return text
  }
}
