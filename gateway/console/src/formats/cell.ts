import type { Column } from '../api/resources'
import { zoneOf } from './time-zone'
import { showDate, showDateTime } from './date'
import { showNumber } from './number'
import { showValue } from './value'
import { widgetOptions } from './widget-options'

/** A cell as people read it; what is no value of its column's type is shown as it is. */
export function showCell(value: unknown, column: Column): string {
  if (typeof value === 'boolean') return value ? '✓' : '✗'
  return typeof value === 'number' ? showOf(value, column) : showValue(value)
}

function showOf(value: number, column: Column): string {
  const { type } = column.fields
  const [name] = type.split(':')
  switch (name) {
    case 'Date':
      return showDate(value)
    case 'DateTime':
      return showDateTime(value, zoneOf(type))
    case 'Ref':
      return value === 0 ? '' : `#${value}`
    default:
      return showNumber(value, widgetOptions(column))
  }
}
