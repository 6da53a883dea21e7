import type { Column } from '../../api/resources'
import { zoneOf } from '../../formats/time-zone'
import { dateText, fieldText, readDateText } from '../../formats/date'
import { numberText, readNumber } from '../../formats/number'

/** What can be asked of a column. */
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

/** A condition as people enter it. */
export interface Condition {
  readonly kind: ConditionKind
  /** Texts, one for each value. */
  readonly values: readonly string[]
}

/** How values of a column are compared and written. */
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

const ends = ['empty', 'filled'] as const
const ordered = ['in', 'notIn', 'lt', 'lte', 'gt', 'gte', 'between', ...ends] as const
const worded = ['in', 'notIn', 'contains', 'startsWith', 'endsWith', ...ends] as const

const kinds: Readonly<Record<Family, readonly ConditionKind[]>> = {
  text: worded,
  number: ordered,
  date: ordered,
  time: ordered,
  bool: ['in', ...ends],
  list: ['has', ...ends],
  any: [...worded, 'lt', 'gt'],
}

const words: Readonly<Record<ConditionKind, string>> = {
  in: 'is one of',
  notIn: 'is none of',
  contains: 'contains',
  startsWith: 'begins with',
  endsWith: 'ends with',
  lt: 'is less than',
  lte: 'is at most',
  gt: 'is greater than',
  gte: 'is at least',
  between: 'is between',
  has: 'has all of',
  empty: 'is empty',
  filled: 'is not empty',
}

const timeWords: Partial<Record<ConditionKind, string>> = {
  lt: 'is before',
  lte: 'is at the latest',
  gt: 'is after',
  gte: 'is at the earliest',
}

/** The family of a column. */
export function valueFamily({ fields: { type } }: Column): Family {
  return families[type.split(':', 1)[0] ?? ''] ?? 'any'
}

/** What can be asked of a column. */
export const conditionKinds = (column: Column): readonly ConditionKind[] =>
  kinds[valueFamily(column)]

/** A kind of condition in words. */
export function conditionLabel(kind: ConditionKind, column: Column): string {
  const family = valueFamily(column)
  return ((family === 'date' || family === 'time') && timeWords[kind]) || words[kind]
}

/** How many values a condition takes. */
export function valueCount(kind: ConditionKind): 'none' | 'one' | 'two' | 'many' {
  if (kind === 'empty' || kind === 'filled') return 'none'
  if (kind === 'between') return 'two'
  return kind === 'in' || kind === 'notIn' || kind === 'has' ? 'many' : 'one'
}

/** The condition as the API takes it. Throws an error that names a value which the column cannot have. */
export function toOperators({ kind, values }: Condition, column: Column): unknown {
  if (kind === 'empty' || kind === 'filled') return emptyOperators(kind, column)
  if (values.length === 0) throw new Error('Enter a value.')
  if (isWord(kind)) return { [kind]: values[0], ignoreCase: true }
  if (valueCount(kind) === 'many') {
    const wanted = values.flatMap((value) => readCandidates(value, column))
    return kind === 'in' ? wanted : { [kind]: wanted }
  }
  const read = values.map((value) => readValue(value, column))
  if (kind !== 'between') return { [kind]: read[0] }
  if (read.length !== 2) throw new Error('Enter two values.')
  return { between: read }
}

/** Text may be empty without being null. */
function emptyOperators(kind: 'empty' | 'filled', column: Column): unknown {
  const family = valueFamily(column)
  const isEmpty = kind === 'empty'
  if (family !== 'text' && family !== 'any') return { isNull: isEmpty }
  return isEmpty ? [null, ''] : { notIn: [null, ''] }
}

const isWord = (kind: ConditionKind | undefined): boolean =>
  kind === 'contains' || kind === 'startsWith' || kind === 'endsWith'

/** Columns of any type, and lists, may hold a number or its digits. */
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
      if (text.trim() === '' || !Number.isFinite(number)) throw new Error(`“${text}” is no number.`)
      return number
    }
    case 'date':
    case 'time': {
      const time = readDateText(text.replace('T', ' '), zoneOfTimes(column))
      if (time === undefined) throw new Error(`“${text}” is no date such as 2026-01-31.`)
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

/** The condition that the API was asked for, where it is one that people can enter. */
export function fromOperators(asked: unknown, column: Column): Condition | undefined {
  const text = JSON.stringify(asked)
  if (text === '[null,""]' || text === '{"isNull":true}') return { kind: 'empty', values: [] }
  if (text === '{"notIn":[null,""]}' || text === '{"isNull":false}')
    return { kind: 'filled', values: [] }
  if (Array.isArray(asked)) return withValues('in', asked, column)
  return typeof asked === 'object' && asked !== null ? fromOperator(asked, column) : undefined
}

function fromOperator(asked: object, column: Column): Condition | undefined {
  const { ignoreCase, ...operators } = asked as Record<string, unknown>
  const [[name, operand] = [], ...more] = Object.entries(operators)
  const kind = conditionKinds(column).find((one) => one === name)
  if (kind === undefined || more.length > 0 || isWord(kind) !== (ignoreCase === true))
    return undefined
  return withValues(kind, Array.isArray(operand) ? operand : [operand], column)
}

function withValues(
  kind: ConditionKind,
  values: readonly unknown[],
  column: Column,
): Condition | undefined {
  if (values.some((value) => value === null)) return undefined
  const texts = values.map((value) => formatValue(value, column))
  return { kind, values: [...new Set(texts)] }
}

function formatValue(value: unknown, column: Column): string {
  const family = valueFamily(column)
  if (typeof value === 'number') {
    if (family === 'number') return numberText(value)
    if (family === 'date' || family === 'time') return showTime(value, zoneOfTimes(column))
  }
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** The zone of a column of times; dates have none. */
const zoneOfTimes = (column: Column): string | undefined =>
  valueFamily(column) === 'time' ? zoneOf(column.fields.type) : undefined

/** A time as it is entered, with seconds where it is not a whole minute. */
const showTime = (seconds: number, zone: string | undefined): string =>
  (fieldText(seconds, zone) ?? dateText(seconds)).replace(/(T\d\d:\d\d):00$/, '$1')

/** What is asked of a column, in a few words. */
export function describe(asked: unknown, column: Column): string {
  const condition = fromOperators(asked, column)
  if (!condition) return JSON.stringify(asked)
  const { kind, values } = condition
  const shown = values.slice(0, 3).join(kind === 'between' ? ' and ' : ', ')
  const more = values.length > 3 ? ` and ${values.length - 3} more` : ''
  return `${conditionLabel(kind, column)}${shown && ` ${shown}`}${more}`
}
