import { AppError } from '@sheaf/kit/errors'
import { isTooDeep, readJson } from '../json/read-json'
import type { Cell } from '../values/column-type'
import { quoteId } from '../quoting/quote'
import { candidatesCondition, storageOf, storedCandidates, type Condition } from './allowed-values'
import { operatorsCondition, parseOperators, type Operators } from './operators'
import { findColumn } from './table-shape'
import type { TableShape } from './table-shape'

export type { Condition } from './allowed-values'

/** Filters of which a row must pass one. */
export interface Alternatives {
  readonly any: readonly Filter[]
}

/**
 * What is asked of each column, by its id: allowed values, of which a row must have one, or operators. Under `or`, which
 * no column is called, stand alternatives. A row must fulfil all of it.
 */
export type Filter = ReadonlyMap<string, readonly Cell[] | Operators | Alternatives>

/** Conditions in one filter, alternatives included: SQLite takes expressions up to a depth. */
const MAX_CONDITIONS = 500
/** Alternatives within alternatives. */
const MAX_NESTING = 5

/**
 * Reads `{"column": [value, …], "column": {"operator": …}, "or": [{…}, …]}`; empty text, `{}` and `[]` filter nothing.
 * Throws AppError `invalid`: MALFORMED_JSON, INVALID_FILTER for another form, UNKNOWN_COLUMN naming the column.
 */
export function parseFilter(json: string | Uint8Array, table: TableShape): Filter {
  if (json.length === 0) return new Map()
  const value = readJson(json, 'filter')
  if (Array.isArray(value) && value.length === 0) return new Map()
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw invalidFilter('Invalid query: filter must be an object')
  }
  return readFilter(value, { table, left: MAX_CONDITIONS }, 0)
}

/** What the reading of one filter has in common: `left` is how many conditions it may still have. */
interface Reading {
  readonly table: TableShape
  left: number
}

function readFilter(value: object, reading: Reading, nesting: number): Filter {
  const filter = new Map<string, readonly Cell[] | Operators | Alternatives>()
  for (const [column, wanted] of Object.entries(value) as [string, unknown][]) {
    reading.left--
    if (reading.left < 0) throw invalidFilter('Invalid query: filter has too many conditions')
    if (column === 'or') filter.set(column, readAlternatives(wanted, reading, nesting))
    else filter.set(column, readWanted(column, wanted, reading))
  }
  return filter
}

function readAlternatives(value: unknown, reading: Reading, nesting: number): Alternatives {
  if (!Array.isArray(value) || value.length === 0)
    throw invalidFilter('Invalid query: or must be an array of filters')
  if (nesting >= MAX_NESTING) throw invalidFilter('Invalid query: filter is nested too deeply')
  return {
    any: value.map((item: unknown) => {
      if (typeof item !== 'object' || item === null || Array.isArray(item))
        throw invalidFilter('Invalid query: or must be an array of filters')
      const filter = readFilter(item, reading, nesting + 1)
      if (filter.size === 0) throw invalidFilter('Invalid query: or has an empty filter')
      return filter
    }),
  }
}

function readWanted(
  column: string,
  wanted: unknown,
  { table }: Reading,
): readonly Cell[] | Operators {
  if (typeof wanted !== 'object' || wanted === null)
    throw invalidFilter('Invalid query: filter values must be arrays')
  if (isTooDeep(wanted)) throw invalidFilter('Invalid query: filter is nested too deeply')
  if (column !== 'id' && !findColumn(table, column)) throw unknownColumn(column)
  if (Array.isArray(wanted)) return wanted as Cell[]
  return parseOperators(column, wanted, storageOf(table, column))
}

function invalidFilter(message: string): AppError {
  return new AppError('invalid', 'INVALID_FILTER', message)
}

/** The refusal of a column that the table does not have. */
export function unknownColumn(column: string): AppError {
  const shown = column.length > 100 ? `${column.slice(0, 100)}…` : column
  const message = `Invalid query: unknown column "${shown}"`
  return new AppError('invalid', 'UNKNOWN_COLUMN', message, { column: shown })
}

/**
 * What the filter asks of each column. Allowed values are compared with stored values as they are, with nothing parsed; numbers, text and null are never
 * equal to one another, true and 1 are; lists equal nothing. `prefix` goes before each column (`t.` or nothing).
 */
export function columnConditions(
  table: TableShape,
  filter: Filter,
  prefix: string,
): ReadonlyMap<string, Condition> {
  return new Map(
    [...filter].map(([column, wanted]) => [
      column,
      'any' in wanted
        ? alternativesCondition(table, wanted, prefix)
        : wantedCondition(table, column, { wanted, prefix }),
    ]),
  )
}

function wantedCondition(
  table: TableShape,
  column: string,
  { wanted, prefix }: { wanted: readonly Cell[] | Operators; prefix: string },
): Condition {
  const storage = storageOf(table, column)
  const expression = prefix + quoteId(column)
  return 'operators' in wanted
    ? operatorsCondition(expression, wanted, storage)
    : candidatesCondition(expression, storedCandidates(wanted, storage))
}

function alternativesCondition(
  table: TableShape,
  { any }: Alternatives,
  prefix: string,
): Condition {
  const conditions = any.map((filter) => allConditions(columnConditions(table, filter, prefix)))
  return {
    sql: conditions.map(({ sql }) => `(${sql})`).join(' OR '),
    params: conditions.flatMap(({ params }) => params),
    needsScan: true,
  }
}

/** All of the conditions as one; `1` when there are none. */
export function allConditions(conditions: ReadonlyMap<string, Condition>): Condition {
  if (conditions.size === 0) return { sql: '1', params: [] }
  const all = [...conditions.values()]
  return {
    sql: all.map(({ sql }) => `(${sql})`).join(' AND '),
    params: all.flatMap(({ params }) => params),
  }
}
