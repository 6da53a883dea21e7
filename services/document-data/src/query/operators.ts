import { AppError } from '@sheaf/kit/errors'
import { shorten } from '@sheaf/kit/truncate-text'
import type { Cell, StoredValue } from '../values/column-type'
import { candidatesCondition, storedCandidates } from './allowed-values'
import type { ColumnStorage, Condition } from './allowed-values'
import { sortKey } from './sort-keys'
import { containsSql, lowerSql, lowerText } from './text-tests'

/** A scalar operand. */
type Scalar = string | number | boolean | null
type Comparison = 'lt' | 'lte' | 'gt' | 'gte'

/** One operator with its operand. */
type Operator =
  | { readonly kind: 'allowed'; readonly values: readonly Scalar[]; readonly not: boolean }
  | { readonly kind: 'compare'; readonly by: Comparison; readonly to: number | string }
  | TextTest
  | { readonly kind: 'isNull'; readonly isNull: boolean }
  | { readonly kind: 'has'; readonly items: readonly Scalar[]; readonly not: boolean }

interface TextTest {
  readonly kind: 'contains' | 'notContains' | 'startsWith' | 'endsWith'
  readonly text: string
}

/** The operators on one column, combined with AND. */
export interface Operators {
  readonly operators: readonly Operator[]
  readonly ignoreCase: boolean
}

/** Maximum number of list items in the operand of `has`, `hasAny` or `hasNone`. */
const MAX_ITEMS = 50
const SYMBOL: Readonly<Record<Comparison, string>> = { lt: '<', lte: '<=', gt: '>', gte: '>=' }

/** Creates the error for an operand; the message continues after the operand's name. */
type Refuse = (fault: string) => AppError

/** Operand parsers by operator. */
const readers: Readonly<
  Record<string, (operand: unknown, refuse: Refuse, storage: ColumnStorage) => Operator[]>
> = {
  eq: (operand, refuse) => [allowed([readScalar(operand, refuse)], false)],
  ne: (operand, refuse) => [allowed([readScalar(operand, refuse)], true)],
  in: (operand, refuse) => [allowed(readScalars(operand, refuse), false)],
  notIn: (operand, refuse) => [allowed(readScalars(operand, refuse), true)],
  lt: (operand, refuse) => [compare('lt', readComparable(operand, refuse))],
  lte: (operand, refuse) => [compare('lte', readComparable(operand, refuse))],
  gt: (operand, refuse) => [compare('gt', readComparable(operand, refuse))],
  gte: (operand, refuse) => [compare('gte', readComparable(operand, refuse))],
  between: readBetween,
  contains: (operand, refuse) => [{ kind: 'contains', text: readText(operand, refuse) }],
  notContains: (operand, refuse) => [{ kind: 'notContains', text: readText(operand, refuse) }],
  startsWith: (operand, refuse) => [{ kind: 'startsWith', text: readText(operand, refuse) }],
  endsWith: (operand, refuse) => [{ kind: 'endsWith', text: readText(operand, refuse) }],
  isNull: (operand, refuse) => [{ kind: 'isNull', isNull: readFlag(operand, refuse) }],
  has: (...from) => readItems(...from).map((item) => ({ kind: 'has', items: [item], not: false })),
  hasAny: (...from) => [{ kind: 'has', items: readItems(...from), not: false }],
  hasNone: (...from) => [{ kind: 'has', items: readItems(...from), not: true }],
}

/** Operators that support `ignoreCase`. */
const withCase = ['eq', 'ne', 'in', 'notIn', 'contains', 'notContains', 'startsWith', 'endsWith']

/**
 * Reads operators such as `{"gte": 10, "lt": 20}`. Throws AppError `invalid` (INVALID_FILTER) naming column
 * and operator if the operator is unknown, has an invalid operand, or does not apply to the column.
 */
export function parseOperators(column: string, value: object, storage: ColumnStorage): Operators {
  const { ignoreCase = false, ...operands } = value as Record<string, unknown>
  const refuse = (name: string) => (fault: string) => refusal(column, `${shorten(name)} ${fault}`)
  const names = Object.keys(operands)
  if (names.length === 0) throw refusal(column, 'must have an operator')
  const operators = names.flatMap((name) => {
    const read = Object.hasOwn(readers, name) ? readers[name] : undefined
    if (!read) throw refusal(column, `has an unknown operator "${shorten(name)}"`)
    return read(operands[name], refuse(name), storage)
  })
  if (typeof ignoreCase !== 'boolean') throw refuse('ignoreCase')('must be true or false')
  if (ignoreCase && !names.some((name) => withCase.includes(name)))
    throw refuse('ignoreCase')(
      'is only allowed with eq, ne, in, notIn, contains, notContains, startsWith or endsWith',
    )
  return { operators, ignoreCase }
}

function refusal(column: string, fault: string): AppError {
  const message = `Invalid query: filter of column "${shorten(column)}": ${fault}`
  return new AppError('invalid', 'INVALID_FILTER', message, { column: shorten(column) })
}

function allowed(values: readonly Scalar[], not: boolean): Operator {
  return { kind: 'allowed', values, not }
}

function compare(by: Comparison, to: number | string): Operator {
  return { kind: 'compare', by, to }
}

function isScalar(value: unknown): value is Scalar {
  return value === null || ['string', 'number', 'boolean'].includes(typeof value)
}

function readScalar(operand: unknown, refuse: Refuse): Scalar {
  if (!isScalar(operand)) throw refuse('must be a number, string, boolean or null')
  return operand
}

function readScalars(operand: unknown, refuse: Refuse): Scalar[] {
  if (!Array.isArray(operand) || !operand.every(isScalar))
    throw refuse('must be an array of numbers, strings, booleans or null')
  return operand
}

function readComparable(operand: unknown, refuse: Refuse): number | string {
  if (typeof operand !== 'number' && typeof operand !== 'string')
    throw refuse('must be a number or a string')
  return operand
}

function readBetween(operand: unknown, refuse: Refuse): Operator[] {
  const [low, high] = Array.isArray(operand) ? (operand as unknown[]) : []
  if (!Array.isArray(operand) || operand.length !== 2 || typeof low !== typeof high)
    throw refuse('must be an array of two numbers or two strings')
  return [compare('gte', readComparable(low, refuse)), compare('lte', readComparable(high, refuse))]
}

function readText(operand: unknown, refuse: Refuse): string {
  if (typeof operand !== 'string') throw refuse('must be a string')
  return operand
}

function readFlag(operand: unknown, refuse: Refuse): boolean {
  if (typeof operand !== 'boolean') throw refuse('must be true or false')
  return operand
}

function readItems(operand: unknown, refuse: Refuse, storage: ColumnStorage): Scalar[] {
  if (storage !== 'list' && storage !== 'any') throw refuse('is only allowed for list columns')
  const items: unknown[] = Array.isArray(operand) ? operand : [operand]
  if (items.length === 0 || items.length > MAX_ITEMS || !items.every(isScalar))
    throw refuse(`must be a value or an array of 1 to ${MAX_ITEMS} values`)
  return items
}

/**
 * Returns the condition that an expression, a column of this storage class, meets all operators. Numbers
 * compare with numbers and text with text, in sort order; `ne`, `notIn`, `notContains` and `hasNone` are the
 * exact complements of `eq`, `in`, `contains` and `hasAny`.
 */
export function operatorsCondition(
  expression: string,
  { operators, ignoreCase }: Operators,
  storage: ColumnStorage,
): Condition {
  const conditions = operators.map((operator) =>
    operatorCondition({ expression, storage, ignoreCase }, operator),
  )
  return {
    sql: conditions.map(({ sql }) => `(${sql})`).join(' AND '),
    params: conditions.flatMap(({ params }) => params),
    // A single condition with an index suffices to read few rows.
    ...(conditions.every(({ needsScan }) => needsScan) && { needsScan: true }),
  }
}

interface Subject {
  readonly expression: string
  readonly storage: ColumnStorage
  readonly ignoreCase: boolean
}

function operatorCondition(subject: Subject, operator: Operator): Condition {
  const { expression } = subject
  switch (operator.kind) {
    case 'allowed':
      return allowedCondition(subject, operator)
    case 'compare':
      return compareCondition(subject, operator)
    case 'isNull':
      return operator.isNull
        ? { sql: `${expression} IS NULL`, params: [] }
        : { sql: `${expression} IS NOT NULL`, params: [], needsScan: true }
    case 'has':
      return itemsCondition(subject, operator)
    default:
      return textCondition(subject, operator)
  }
}

function scan(sql: string, params: StoredValue[]): Condition {
  return { sql, params, needsScan: true }
}

function allowedCondition(
  { expression, storage, ignoreCase }: Subject,
  { values, not }: Operator & { kind: 'allowed' },
): Condition {
  const texts = ignoreCase ? values.filter((value) => typeof value === 'string') : []
  const others: readonly Cell[] = ignoreCase
    ? values.filter((value) => typeof value !== 'string')
    : values
  let condition = candidatesCondition(expression, storedCandidates(others, storage))
  if (texts.length > 0) {
    const same = candidatesCondition(lowerOf(expression, storage), new Set(texts.map(lowerText)))
    const either = `${same.sql} OR ${condition.sql}`
    condition = scan(either, [...same.params, ...condition.params])
  }
  return not ? scan(`(${condition.sql}) IS NOT TRUE`, condition.params) : condition
}

/**
 * In SQLite's order all numbers precede all text, so a range condition excludes text without a function call.
 */
function compareCondition(
  { expression, storage }: Subject,
  { by, to }: Operator & { kind: 'compare' },
): Condition {
  const symbol = SYMBOL[by]
  if (typeof to === 'string') {
    if (storage === 'id') return scan('0', [])
    return scan(`sheaf_sort_key(${textOf(expression, storage)})${symbol}?`, [sortKey(to)])
  }
  if (storage === 'text') return scan('0', [])
  const bound = Number.isSafeInteger(to) ? BigInt(to) : to
  const isBelow = by === 'lt' || by === 'lte'
  return {
    sql: `${expression}${symbol}?${isBelow ? '' : ` AND ${expression}<''`}`,
    params: [bound],
  }
}

function itemsCondition(
  { expression, storage }: Subject,
  { items, not }: Operator & { kind: 'has' },
): Condition {
  const test = storage === 'list' ? 'sheaf_list_has' : 'sheaf_any_has'
  const sql = items.map(() => `${test}(${expression},?)`).join(' OR ')
  return scan(
    not ? `NOT (${sql})` : sql,
    items.map((item) => JSON.stringify(item)),
  )
}

function textCondition(
  { expression, storage, ignoreCase }: Subject,
  { kind, text }: TextTest,
): Condition {
  const subject = (ignoreCase ? lowerOf : textOf)(expression, storage)
  const part = ignoreCase ? lowerText(text) : text
  switch (kind) {
    case 'endsWith':
      return scan(`sheaf_ends_with(${subject},?)`, [part])
    case 'startsWith':
      return scan(`instr(${subject},?)=1`, [part])
    case 'notContains':
      return scan(`(${containsSql(subject)}) IS NOT TRUE`, [part])
    case 'contains':
      return scan(containsSql(subject), [part])
  }
}

/** The same in its case-insensitive form. */
function lowerOf(expression: string, storage: ColumnStorage): string {
  return storage === 'text' ? lowerSql(expression) : `sheaf_lower(${textOf(expression, storage)})`
}

/** SQL of the text of a cell; null for a cell that is not text. */
function textOf(expression: string, storage: ColumnStorage): string {
  switch (storage) {
    case 'id':
      return 'NULL'
    case 'text':
      return expression
    case 'number':
      return `CASE WHEN typeof(${expression})='text' THEN ${expression} END`
    default:
      return `sheaf_${storage}_text(${expression})`
  }
}
