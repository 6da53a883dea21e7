import type { Column } from '../../api/resources'
import { zoneOf } from '../../formats/time-zone'
import { dateText, fieldText, readDateText } from '../../formats/date'
import { numberText, readNumber } from '../../formats/number'

/** Kind of a filter condition. */
export type ConditionKind =
  | 'in'
  | 'notIn'
  | 'contains'
  | 'startsWith'
  | 'endsWith'
  | 'lt'
  | 'lte'
  | 'gt'
  | 'gte'
  | 'between'
  | 'has'
  | 'empty'
  | 'filled'

/** A filter condition as entered in the form. */
export interface Condition {
  readonly kind: ConditionKind
  /** The entered values. */
  readonly values: readonly string[]
}

/** Groups of column types whose values are compared and entered in the same way. */
export type Family = 'text' | 'number' | 'date' | 'time' | 'bool' | 'list' | 'any'

const families: Readonly<Record<string, Family>> = {
  Text: 'text',
  Choice: 'text',
  Numeric: 'number',
  Int: 'number',
  Date: 'date',
  DateTime: 'time',
  Bool: 'bool',
  Ref: 'number',
  ChoiceList: 'list',
  RefList: 'list',
  Attachments: 'list',
}

const emptiness = ['empty', 'filled'] as const
const comparisons = ['in', 'notIn', 'lt', 'lte', 'gt', 'gte', 'between', ...emptiness] as const
const textMatches = ['in', 'notIn', 'contains', 'startsWith', 'endsWith', ...emptiness] as const

const kinds: Readonly<Record<Family, readonly ConditionKind[]>> = {
  text: textMatches,
  number: comparisons,
  date: comparisons,
  time: comparisons,
  bool: ['in', ...emptiness],
  list: ['has', ...emptiness],
  any: [...textMatches, 'lt', 'gt'],
}

const labels: Readonly<Record<ConditionKind, string>> = {
  in: 'is one of',
  notIn: 'is none of',
  contains: 'contains',
  startsWith: 'starts with',
  endsWith: 'ends with',
  lt: 'is less than',
  lte: 'is at most',
  gt: 'is greater than',
  gte: 'is at least',
  between: 'is between',
  has: 'contains all of',
  empty: 'is empty',
  filled: 'is not empty',
}

const timeLabels: Partial<Record<ConditionKind, string>> = {
  lt: 'is before',
  lte: 'is on or before',
  gt: 'is after',
  gte: 'is on or after',
}

/** Returns the value family of a column. */
export function valueFamily({ fields: { type } }: Column): Family {
  return families[type.split(':', 1)[0] ?? ''] ?? 'any'
}

/** Returns the condition kinds available for a column. */
export const conditionKinds = (column: Column): readonly ConditionKind[] =>
  kinds[valueFamily(column)]

/** Returns the display name of a condition kind. */
export function conditionLabel(kind: ConditionKind, column: Column): string {
  const family = valueFamily(column)
  return ((family === 'date' || family === 'time') && timeLabels[kind]) || labels[kind]
}

/** Returns how many values a condition takes. */
export function valueCount(kind: ConditionKind): 'none' | 'one' | 'two' | 'many' {
  if (kind === 'empty' || kind === 'filled') return 'none'
  if (kind === 'between') return 'two'
  return kind === 'in' || kind === 'notIn' || kind === 'has' ? 'many' : 'one'
}

/** Converts a condition to a filter of the API. Throws if a value is not valid for the column. */
export function toOperators({ kind, values }: Condition, column: Column): unknown {
  if (kind === 'empty' || kind === 'filled') return emptyOperators(kind, column)
  if (values.length === 0) throw new Error('Enter a value.')
  if (isTextMatch(kind)) return { [kind]: values[0], ignoreCase: true }
  if (valueCount(kind) === 'many') {
    const operands = values.flatMap((value) => readCandidates(value, column))
    return kind === 'in' ? operands : { [kind]: operands }
  }
  const read = values.map((value) => readValue(value, column))
  if (kind !== 'between') return { [kind]: read[0] }
  if (read.length !== 2) throw new Error('Enter two values.')
  return { between: read }
}

/** Text can be empty without being null. */
function emptyOperators(kind: 'empty' | 'filled', column: Column): unknown {
  const family = valueFamily(column)
  const isEmpty = kind === 'empty'
  if (family !== 'text' && family !== 'any') return { isNull: isEmpty }
  return isEmpty ? [null, ''] : { notIn: [null, ''] }
}

const isTextMatch = (kind: ConditionKind | undefined): boolean =>
  kind === 'contains' || kind === 'startsWith' || kind === 'endsWith'

/** Columns of type Any and lists can contain a number as well as its digits as text. */
function readCandidates(text: string, column: Column): unknown[] {
  const family = valueFamily(column)
  const number = Number(text)
  const isNumber = text.trim() !== '' && Number.isFinite(number)
  if (family === 'any' && isNumber) return [text, number]
  if (family === 'list') return [column.fields.type === 'ChoiceList' || !isNumber ? text : number]
  return [readValue(text, column)]
}

function readValue(text: string, column: Column): unknown {
  switch (valueFamily(column)) {
    case 'number': {
      const number = readNumber(text) ?? Number(text)
      if (text.trim() === '' || !Number.isFinite(number))
        throw new Error(`“${text}” is not a number.`)
      return number
    }
    case 'date':
    case 'time': {
      const time = readDateText(text.replace('T', ' '), columnZone(column))
      if (time === undefined) throw new Error(`“${text}” is not a date. Use the format 2026-01-31.`)
      return time
    }
    case 'bool':
      return text === 'true'
    case 'text':
    case 'list':
    case 'any':
      return text
  }
}

/** Converts a filter of the API to a condition; undefined if the form cannot express it. */
export function fromOperators(filter: unknown, column: Column): Condition | undefined {
  const text = JSON.stringify(filter)
  if (text === '[null,""]' || text === '{"isNull":true}') return { kind: 'empty', values: [] }
  if (text === '{"notIn":[null,""]}' || text === '{"isNull":false}')
    return { kind: 'filled', values: [] }
  if (Array.isArray(filter)) return withValues('in', filter, column)
  return typeof filter === 'object' && filter !== null ? fromOperator(filter, column) : undefined
}

function fromOperator(filter: object, column: Column): Condition | undefined {
  const { ignoreCase, ...operators } = filter as Record<string, unknown>
  const [[name, operand] = [], ...more] = Object.entries(operators)
  const kind = conditionKinds(column).find((one) => one === name)
  if (kind === undefined || more.length > 0 || isTextMatch(kind) !== (ignoreCase === true))
    return undefined
  return withValues(kind, Array.isArray(operand) ? operand : [operand], column)
}

function withValues(
  kind: ConditionKind,
  values: readonly unknown[],
  column: Column,
): Condition | undefined {
  if (values.some((value) => value === null)) return undefined
  const texts = values.map((value) => editableText(value, column))
  return { kind, values: [...new Set(texts)] }
}

function editableText(value: unknown, column: Column): string {
  const family = valueFamily(column)
  if (typeof value === 'number') {
    if (family === 'number') return numberText(value)
    if (family === 'date' || family === 'time') return timeText(value, columnZone(column))
  }
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** Returns the time zone of a DateTime column; undefined for dates. */
const columnZone = (column: Column): string | undefined =>
  valueFamily(column) === 'time' ? zoneOf(column.fields.type) : undefined

/** Returns the editable text of a time, with seconds only if they are not zero. */
const timeText = (seconds: number, zone: string | undefined): string =>
  (fieldText(seconds, zone) ?? dateText(seconds)).replace(/(T\d\d:\d\d):00$/, '$1')

/** Describes the filter of a column. */
export function describeFilter(filter: unknown, column: Column): string {
  const condition = fromOperators(filter, column)
  if (!condition) return JSON.stringify(filter)
  const { kind, values } = condition
  const shown = values.slice(0, 3).join(kind === 'between' ? ' and ' : ', ')
  const more = values.length > 3 ? ` and ${values.length - 3} more` : ''
  return `${conditionLabel(kind, column)}${shown && ` ${shown}`}${more}`
}
