import type { Column } from '../api/resources'
import { zoneOf } from './time-zone'
import { formatDate, formatDateTime } from './date'
import { dateFormatOf, dateTimeFormatOf, formatBy } from './date-format'
import { formatNumber, hasNumberFormat } from './number'
import { formatValue } from './value'
import { sampleColumnOf } from './column'
import { widgetOptions, type WidgetOptions } from './widget-options'

/** Formats a cell for display. Values that do not match the column type are formatted by their own type. */
export function formatCell(value: unknown, column: Column): string {
  if (typeof value === 'boolean') return value ? '✓' : '✗'
  return typeof value === 'number' ? formatTyped(value, column) : formatValue(value)
}

/** Formats a value as a column of a type with some options shows it. */
export const exampleOf = (type: string, options: WidgetOptions, value: unknown): string =>
  formatCell(value, sampleColumnOf(type, JSON.stringify(options)))

function formatTyped(value: number, column: Column): string {
  const { type } = column.fields
  const [name] = type.split(':')
  const options = widgetOptions(column)
  switch (name) {
    case 'Date': {
      const format = dateFormatOf(options)
      return format === undefined ? formatDate(value) : formatBy(format, value, 'UTC')
    }
    case 'DateTime': {
      const format = dateTimeFormatOf(options)
      const zone = zoneOf(type)
      return format === undefined ? formatDateTime(value, zone) : formatBy(format, value, zone)
    }
    case 'Ref':
      return value === 0 ? '' : `#${value}`
    case 'Int':
      return formatNumber(value, hasNumberFormat(options) ? { decimals: 0, ...options } : options)
    default:
      return formatNumber(value, options)
  }
}
