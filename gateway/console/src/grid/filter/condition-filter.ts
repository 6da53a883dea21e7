import type { Column } from '../../api/resources'
import { fieldText, readField } from '../../formats/date'
import { zoneOf } from '../../formats/time-zone'
import {
  conditionKinds,
  emptyValues,
  valueCount,
  valueFamily,
  type Condition,
  type ConditionKind,
} from './conditions'

const textMatches: readonly string[] = ['contains', 'notContains', 'startsWith', 'endsWith']
const lists: Readonly<Record<string, readonly [ConditionKind, ConditionKind]>> = {
  in: ['is', 'in'],
  notIn: ['isNot', 'notIn'],
}
const listTests: readonly string[] = ['has', 'hasAny', 'hasNone']
const singles: Readonly<Record<string, ConditionKind>> = { eq: 'is', ne: 'isNot' }

type Writer = (values: readonly unknown[], column: Column) => unknown

/** Kinds that are written otherwise than as an operator of their name. */
const writers: Readonly<Partial<Record<ConditionKind, Writer>>> = {
  is: (values) => values,
  in: (values) => values,
  isNot: (values) => ({ notIn: values }),
  notIn: (values) => ({ notIn: values }),
  checked: () => [true],
  unchecked: () => ({ notIn: [true] }),
  empty: (_, column) => emptyOperators(true, column),
  filled: (_, column) => emptyOperators(false, column),
  on: ([start], column) => ({ gte: start, lt: nextDay(start, column) }),
}

/** Converts a complete condition to a filter of its column in the notation of the API. */
export function toOperators({ kind, values }: Condition, column: Column): unknown {
  const write = writers[kind]
  if (write) return write(values, column)
  const operand = valueCount(kind) === 'one' ? values[0] : values
  return { [kind]: operand, ...(textMatches.includes(kind) && { ignoreCase: true }) }
}

function emptyOperators(isEmpty: boolean, column: Column): unknown {
  const values = emptyValues(column)
  if (values.length === 1) return { isNull: isEmpty }
  return isEmpty ? values : { notIn: values }
}

/** Returns the beginning of the day after the one that begins at this time, in the zone of the column. */
function nextDay(start: unknown, column: Column): number | undefined {
  const zone = zoneOf(column.fields.type)
  const day = fieldText(start, zone)?.slice(0, 10)
  const next = day ? Date.parse(`${day}T00:00:00Z`) + 86_400_000 : NaN
  if (Number.isNaN(next)) return undefined
  return readField(`${new Date(next).toISOString().slice(0, 10)}T00:00`, zone) ?? undefined
}

/** Converts a filter of a column to conditions, all of which must hold; undefined if the form has none for it. */
export function fromOperators(filter: unknown, column: Column): readonly Condition[] | undefined {
  const whole = wholeCondition(filter, column)
  if (whole) return [whole]
  if (typeof filter !== 'object' || filter === null || Array.isArray(filter)) return undefined
  const { ignoreCase, ...operators } = filter as Record<string, unknown>
  const found = Object.entries(operators).map(([name, operand]) =>
    textMatches.includes(name) === (ignoreCase === true)
      ? operatorCondition(name, operand, column)
      : undefined,
  )
  return found.length > 0 && found.every((one) => one !== undefined) ? found : undefined
}

/** Conditions that have a filter of their own. */
function wholeCondition(filter: unknown, column: Column): Condition | undefined {
  const text = JSON.stringify(filter)
  const kinds = conditionKinds(column)
  const fixed = (['empty', 'filled', 'checked', 'unchecked'] as const).find(
    (kind) =>
      kinds.includes(kind) && JSON.stringify(toOperators({ kind, values: [] }, column)) === text,
  )
  if (fixed) return { kind: fixed, values: [] }
  if (Array.isArray(filter)) return listCondition(filter, ['is', 'in'], column)
  const { gte } = (filter ?? {}) as { gte?: unknown }
  const on: Condition = { kind: 'on', values: [gte] }
  const isDay = kinds.includes('on') && isMidnight(gte, column)
  return isDay && JSON.stringify(toOperators(on, column)) === text ? on : undefined
}

const isMidnight = (value: unknown, column: Column): boolean =>
  fieldText(value, zoneOf(column.fields.type))?.endsWith('T00:00:00') ?? false

/** One value is compared, several are selected from. */
function listCondition(
  values: readonly unknown[],
  [single, many]: readonly [ConditionKind, ConditionKind],
  column: Column,
): Condition | undefined {
  const kinds = conditionKinds(column)
  if (values.length === 1 && kinds.includes(single) && isEntered(values[0], single, column))
    return { kind: single, values }
  return values.length > 0 && kinds.includes(many) ? { kind: many, values } : undefined
}

function operatorCondition(name: string, operand: unknown, column: Column): Condition | undefined {
  if (name === 'isNull') return nullCondition(operand, column)
  const operands: readonly unknown[] = [operand].flat()
  const pair = lists[name]
  if (pair && Array.isArray(operand)) return listCondition(operands, pair, column)
  const kind = singles[name] ?? conditionKinds(column).find((one) => one === name)
  if (!kind || !conditionKinds(column).includes(kind)) return undefined
  if (listTests.includes(kind)) return { kind, values: operands }
  const count = kind === 'between' ? 2 : 1
  const isRead = operands.length === count && Array.isArray(operand) === (count === 2)
  return isRead && operands.every((one) => isEntered(one, kind, column))
    ? { kind, values: operands }
    : undefined
}

/** Columns whose empty cells can have other values than null select null among their values. */
function nullCondition(isNull: unknown, column: Column): Condition | undefined {
  // For the API an error of a formula is null as well, yet not among values that are null.
  if (typeof isNull !== 'boolean' || (isNull && column.fields.formula !== '')) return undefined
  return listCondition([null], isNull ? ['is', 'in'] : ['isNot', 'notIn'], column)
}

/** Returns true for a value that can be entered in a field. */
function isEntered(value: unknown, kind: ConditionKind, column: Column): boolean {
  switch (valueFamily(column)) {
    case 'number':
      return typeof value === 'number'
    case 'date':
      return fieldText(value) !== undefined && typeof value === 'number'
    case 'time':
      return fieldText(value, zoneOf(column.fields.type)) !== undefined && typeof value === 'number'
    case 'any':
      if (typeof value === 'number') return kind === 'gt' || kind === 'lt'
      return typeof value === 'string' && value !== ''
    case 'text':
      return typeof value === 'string' && value !== ''
    default:
      return false
  }
}
