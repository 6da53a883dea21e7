import type { Column } from '../api/resources'
import { zoneOf } from './time-zone'
import { formatDate, formatDateTime } from './date'
import { formatNumber } from './number'
import { formatValue } from './value'
import { widgetOptions } from './widget-options'

/** A cell as people read it; what is no value of its column's type is shown as it is. */
export function formatCell(value: unknown, column: Column): string {
  if (typeof value === 'boolean') return value ? '✓' : '✗'
  return typeof value === 'number' ? showOf(value, column) : formatValue(value)
}

function showOf(value: number, column: Column): string {
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
