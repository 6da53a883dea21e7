import type { Column } from '../api/resources'
import { anyText, readAny } from './any-value'
import { zoneOf } from './time-zone'
import { dateText, fieldText, readTyped } from './date'
import { formatOrder } from './date-format'
import { editedText, readFormatted } from './number'
import { formatCell } from './cell'
import { formatValue, listItems } from './value'
import { widgetOptions } from './widget-options'

const typeName = ({ fields }: Column): string => fields.type.split(':', 1)[0] ?? ''

/**
 * Returns a cell as text that `readCell` parses back: numbers with all digits, as percentages in a column of them, and dates in ISO
 * order, and lists as the API splits them. Values without such a text are formatted for display.
 */
export function cellText(value: unknown, column: Column): string {
  const items = listItems(value)
  if (items) return itemsText(items.map(formatValue))
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
      return editedText(value, widgetOptions(column))
  }
}

/** Returns items as text that the API splits into the same ones: at commas and line breaks, except between quotes. */
export const itemsText = (items: readonly string[]): string => items.map(quoteItem).join(', ')

/** A list that begins with a bracket would be parsed as JSON. */
const quoteItem = (item: string): string =>
  /[,\r\n]|^\s*["[]/.test(item) ? `"${item.replaceAll('"', '""')}"` : item

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
