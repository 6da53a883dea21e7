import type { Column } from '../../api/resources'

/** Kind of a filter condition. */
export type ConditionKind =
  | 'contains'
  | 'notContains'
  | 'is'
  | 'isNot'
  | 'startsWith'
  | 'endsWith'
  | 'in'
  | 'notIn'
  | 'on'
  | 'lt'
  | 'lte'
  | 'gt'
  | 'gte'
  | 'between'
  | 'checked'
  | 'unchecked'
  | 'has'
  | 'hasAny'
  | 'hasNone'
  | 'empty'
  | 'filled'

/** A condition on the values of a column. */
export interface Condition {
  readonly kind: ConditionKind
  /** Values as the API has them: none while they are not entered. */
  readonly values: readonly unknown[]
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

/** The first one is that of a new condition. */
const kindsByFamily: Readonly<Record<Family, readonly ConditionKind[]>> = {
  text: [
    'contains',
    'notContains',
    'is',
    'isNot',
    'startsWith',
    'endsWith',
    'in',
    'notIn',
    'empty',
    'filled',
  ],
  number: ['is', 'isNot', 'gt', 'gte', 'lt', 'lte', 'between', 'in', 'notIn', 'empty', 'filled'],
  date: ['is', 'isNot', 'lt', 'lte', 'gt', 'gte', 'between', 'in', 'notIn', 'empty', 'filled'],
  time: ['on', 'lt', 'lte', 'gt', 'gte', 'between', 'in', 'notIn', 'empty', 'filled'],
  bool: ['checked', 'unchecked', 'in', 'notIn'],
  list: ['hasAny', 'has', 'hasNone', 'empty', 'filled'],
  any: [
    'contains',
    'notContains',
    'startsWith',
    'endsWith',
    'in',
    'notIn',
    'gt',
    'lt',
    'empty',
    'filled',
  ],
}

/** Types whose conditions are others than those of their family. */
const kindsByType: Readonly<Record<string, readonly ConditionKind[]>> = {
  Choice: [
    'in',
    'notIn',
    'contains',
    'notContains',
    'is',
    'isNot',
    'startsWith',
    'endsWith',
    'empty',
    'filled',
  ],
  Ref: ['in', 'notIn', 'empty', 'filled'],
  Attachments: ['filled', 'empty'],
}

const labels: Readonly<Record<ConditionKind, string>> = {
  contains: 'contains',
  notContains: 'does not contain',
  is: 'is',
  isNot: 'is not',
  startsWith: 'starts with',
  endsWith: 'ends with',
  in: 'is any of',
  notIn: 'is none of',
  on: 'is on',
  lt: '<',
  lte: '≤',
  gt: '>',
  gte: '≥',
  between: 'is between',
  checked: 'is checked',
  unchecked: 'is not checked',
  has: 'has all of',
  hasAny: 'has any of',
  hasNone: 'has none of',
  empty: 'is empty',
  filled: 'is not empty',
}

const numberLabels: Partial<Record<ConditionKind, string>> = { is: '=', isNot: '≠' }
const timeLabels: Partial<Record<ConditionKind, string>> = {
  lt: 'is before',
  lte: 'is on or before',
  gt: 'is after',
  gte: 'is on or after',
}
const familyLabels: Partial<Record<Family, Partial<Record<ConditionKind, string>>>> = {
  number: numberLabels,
  date: timeLabels,
  time: { ...timeLabels, lte: 'is at or before', gte: 'is at or after' },
}

const typeName = ({ fields: { type } }: Column): string => type.split(':', 1)[0] ?? ''

/** Returns true for a column of references to one row, or to several. */
export const refersToRows = (column: Column): boolean =>
  ['Ref', 'RefList'].includes(typeName(column))

/** Returns the value family of a column. */
export const valueFamily = (column: Column): Family => families[typeName(column)] ?? 'any'

/** Returns the condition kinds available for a column. */
export const conditionKinds = (column: Column): readonly ConditionKind[] =>
  kindsByType[typeName(column)] ?? kindsByFamily[valueFamily(column)]

/** Returns the kind that selects among the values of a column; undefined if it has none. */
export const valuesKind = (column: Column): ConditionKind | undefined =>
  conditionKinds(column).find((kind) => kind === 'in' || kind === 'hasAny')

/** Returns the display name of a condition kind. */
export const conditionLabel = (kind: ConditionKind, column: Column): string =>
  familyLabels[valueFamily(column)]?.[kind] ?? labels[kind]

/** Returns how many values a condition takes. */
export function valueCount(kind: ConditionKind): 'none' | 'one' | 'two' | 'many' {
  switch (kind) {
    case 'checked':
    case 'unchecked':
    case 'empty':
    case 'filled':
      return 'none'
    case 'between':
      return 'two'
    case 'in':
    case 'notIn':
    case 'has':
    case 'hasAny':
    case 'hasNone':
      return 'many'
    default:
      return 'one'
  }
}

/** Returns true once a condition has all of its values. Others are not applied. */
export function isComplete({ kind, values }: Condition): boolean {
  const least = { none: 0, one: 1, two: 2, many: 1 }[valueCount(kind)]
  return values.length >= least
}

/** Values that the API takes for a condition on the elements of lists. */
export const MAX_ELEMENTS = 50

/** Returns true for a condition with more values than the API takes. */
export const hasTooMany = ({ kind, values }: Condition): boolean =>
  ['has', 'hasAny', 'hasNone'].includes(kind) && values.length > MAX_ELEMENTS

/** Values of empty cells: text can be empty without being null, and a reference to no row is 0. */
export function emptyValues(column: Column): readonly unknown[] {
  if (typeName(column) === 'Ref') return [null, 0]
  const family = valueFamily(column)
  return family === 'text' || family === 'any' ? [null, ''] : [null]
}

/** Returns the condition with another kind, with its values as far as they suit. */
export function withKind({ kind, values }: Condition, next: ConditionKind): Condition {
  const [before, after] = [valueCount(kind), valueCount(next)]
  const keeps = before === after || (before === 'one' && after === 'many' && kind !== 'on')
  return { kind: next, values: keeps && next !== 'on' && kind !== 'on' ? values : [] }
}

/** Names of the two directions, by what is sorted. */
const directions: Readonly<Partial<Record<Family, readonly [string, string]>>> = {
  text: ['A → Z', 'Z → A'],
  number: ['1 → 9', '9 → 1'],
  date: ['old → new', 'new → old'],
  time: ['old → new', 'new → old'],
  bool: ['no → yes', 'yes → no'],
}

/** Returns what the ascending and the descending order of a column are called. */
export const directionsOf = (column: Column | undefined): readonly [string, string] =>
  (column && directions[valueFamily(column)]) ?? ['ascending', 'descending']
