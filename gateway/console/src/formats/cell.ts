import type { Column } from '../api/resources'
import { zoneOf } from './time-zone'
import { formatDate, formatDateTime } from './date'
import { formatNumber } from './number'
import { formatValue } from './value'
import { widgetOptions } from './widget-options'

/** Formats a cell for display. Values that do not match the column type are formatted by their own type. */
export function formatCell(value: unknown, column: Column): string {
  if (typeof value === 'boolean') return value ? '✓' : '✗'
  return typeof value === 'number' ? formatTyped(value, column) : formatValue(value)
}

function formatTyped(value: number, column: Column): string {
  const { type } = column.fields
  const [name] = type.split(':')
  switch (name) {
    case 'Date':
      return formatDate(value)
    case 'DateTime':
      return formatDateTime(value, zoneOf(type))
    case 'Ref':
      return value === 0 ? '' : `#${value}`
    default:
      return formatNumber(value, widgetOptions(column))
  }
}
