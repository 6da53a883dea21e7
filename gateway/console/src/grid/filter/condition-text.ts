import type { Column } from '../../api/resources'
import { formatCell } from '../../formats/cell'
import { columnName } from '../../formats/column'
import { fieldText, readField } from '../../formats/date'
import { editedText, numberText, readFormatted } from '../../formats/number'
import { zoneOf } from '../../formats/time-zone'
import { formatValue } from '../../formats/value'
import { widgetOptions, type WidgetOptions } from '../../formats/widget-options'
import {
  conditionLabel,
  emptyValues,
  valueCount,
  valueFamily,
  type Condition,
  type ConditionKind,
} from './conditions'

/** Values that a description names. */
const MAX_NAMED = 3
/** Stands for values of empty cells. */
const BLANK = '(blank)'

/** How a value is entered: the type of a native field, and the conversion of its text. */
export interface Entry {
  readonly type: 'text' | 'date' | 'datetime-local'
  readonly isNumber: boolean
  /** Returns the text of a value; empty for none. */
  readonly show: (value: unknown) => string
  /** Returns the value of a text; undefined for one that is not a value. */
  readonly read: (text: string) => unknown
}

/** Returns how the values of a condition are entered. */
export function entryOf(kind: ConditionKind, column: Column): Entry {
  const zone = zoneOf(column.fields.type)
  switch (valueFamily(column)) {
    case 'number':
      return numberEntry(widgetOptions(column))
    case 'date':
      return {
        type: 'date',
        isNumber: false,
        show: (value) => fieldText(value) ?? '',
        read: (text) => readTime(text),
      }
    case 'time':
      if (kind === 'on')
        return {
          type: 'date',
          isNumber: false,
          show: (value) => (fieldText(value, zone) ?? '').slice(0, 10),
          read: (text) => readTime(`${text}T00:00`, zone),
        }
      return {
        type: 'datetime-local',
        isNumber: false,
        show: (value) => (fieldText(value, zone) ?? '').replace(/:00$/, ''),
        read: (text) => readTime(text, zone),
      }
    case 'any':
      return kind === 'gt' || kind === 'lt' ? { ...plainText, read: readAny } : plainText
    default:
      return plainText
  }
}

const plainText: Entry = {
  type: 'text',
  isNumber: false,
  show: (value) => (typeof value === 'number' ? numberText(value) : formatValue(value)),
  read: (text) => text,
}

/** Numbers are entered as in the cells of the column, or with a decimal point. */
const numberEntry = (options: WidgetOptions): Entry => ({
  type: 'text',
  isNumber: true,
  show: (value) => (typeof value === 'number' ? editedText(value, options) : ''),
  read: (text) => readFormatted(text, options) ?? readFormatted(text, options, 'en-US'),
})

const readAny = (text: string): unknown => numberEntry({}).read(text) ?? text

const readTime = (text: string, zone?: string): number | undefined =>
  Number.isNaN(Date.parse(text)) ? undefined : (readField(text, zone) ?? undefined)

/** Returns true for the value of an empty cell. */
export const isBlank = (value: unknown, column: Column): boolean =>
  emptyValues(column).includes(value)

/** Returns the text of a value to select. References are shown by their ids. */
export function valueLabel(value: unknown, column: Column): string {
  if (isBlank(value, column)) return BLANK
  if (typeof value === 'boolean') return value ? 'Yes' : 'No'
  return formatCell(value, column)
}

/** Describes a condition in words. `labelOf` returns the text of a value. */
export function describeCondition(
  { kind, values }: Condition,
  column: Column,
  labelOf: (value: unknown) => string = (value) => valueLabel(value, column),
): string {
  const name = `${columnName(column)} ${conditionLabel(kind, column)}`
  const { show } = entryOf(kind, column)
  const isMany = valueCount(kind) === 'many'
  const texts = [...new Set(values.map((value) => (isMany ? labelOf(value) : show(value))))]
  if (texts.length === 0) return name
  const shown = texts.slice(0, MAX_NAMED).join(kind === 'between' ? ' and ' : ', ')
  const more = texts.length > MAX_NAMED ? ` and ${texts.length - MAX_NAMED} more` : ''
  return `${name} ${shown}${more}`
}
