import type { Column } from '../api/resources'
import { anyText, readAny } from './any-value'
import { zoneOf } from './time-zone'
import { dateText, fieldText, readTyped } from './date'
import { numberText, readNumber } from './number'
import { formatCell } from './cell'
import { formatValue } from './value'

const kindOf = ({ fields }: Column): string => fields.type.split(':', 1)[0] ?? ''

/**
 * A cell as text that `readCell` reads back: all digits of a number, a date whose parts stand in an order that is the same
 * everywhere. What has no such text is as people read it.
 */
export function cellText(value: unknown, column: Column): string {
  if (typeof value !== 'number') return formatValue(value)
  switch (kindOf(column)) {
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
 * The value that a text means in a column, numbers and dates as the language of the browser writes them. Any other text is
 * left to the API, which reads more forms and keeps the rest.
 */
export function readCell(text: string, column: Column): unknown {
  switch (kindOf(column)) {
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
