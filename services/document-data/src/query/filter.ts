import { AppError } from '@sheaf/kit/errors'
import { isTooDeep } from '@sheaf/kit/json-depth'
import { shorten } from '@sheaf/kit/truncate-text'
import { readJson } from '../json/read-json'
import type { Cell } from '../values/column-type'
import { columnSql, errorNameSql, isErrorSql } from '../values/error-cells'
import { candidatesCondition, storageOf, storedCandidates, type Condition } from './allowed-values'
import { operatorsCondition, parseOperators, type Operators } from './operators'
import { findColumn, nearColumn } from './table-shape'
import type { TableShape } from './table-shape'

export type { Condition } from './allowed-values'

/** Filters of which a row must pass one, or all. */
export interface FilterGroup {
  readonly join: 'or' | 'and'
  readonly filters: readonly Filter[]
}

/**
 * Conditions by column id: allowed values, of which a row must have one, or operators. The keys `or` and `and`, which are
 * not valid column ids, hold groups of filters. A row must meet all conditions.
 */
export type Filter = ReadonlyMap<string, readonly Cell[] | Operators | FilterGroup>

/**
 * Maximum number of conditions in a filter, including those of groups; SQLite limits the depth of expressions.
 */
const MAX_CONDITIONS = 500
/** Maximum nesting of groups. */
const MAX_NESTING = 5

/**
 * Reads `{"column": [value, …], "column": {"operator": …}, "or": [{…}, …], "and": [{…}, …]}`; empty text, `{}` and `[]`
 * match all rows. Throws AppError `invalid`: MALFORMED_JSON, INVALID_FILTER for another form, UNKNOWN_COLUMN naming
 * the column.
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

/** State shared while one filter is read; `left` is the number of conditions still allowed. */
interface Reading {
  readonly table: TableShape
  left: number
}

function readFilter(value: object, reading: Reading, nesting: number): Filter {
  const filter = new Map<string, readonly Cell[] | Operators | FilterGroup>()
  for (const [column, wanted] of Object.entries(value) as [string, unknown][]) {
    reading.left--
    if (reading.left < 0) throw invalidFilter('Invalid query: filter has too many conditions')
    if (isGroupKey(column)) filter.set(column, readGroup(column, wanted, { reading, nesting }))
    else filter.set(column, readWanted(column, wanted, reading))
  }
  return filter
}

/** Whether a key of a filter holds a group of filters in place of the condition of a column. */
export function isGroupKey(key: string): key is FilterGroup['join'] {
  return key === 'or' || key === 'and'
}

function readGroup(
  join: FilterGroup['join'],
  value: unknown,
  { reading, nesting }: { readonly reading: Reading; readonly nesting: number },
): FilterGroup {
  const malformed = () => invalidFilter(`Invalid query: ${join} must be an array of filters`)
  if (!Array.isArray(value) || value.length === 0) throw malformed()
  if (nesting >= MAX_NESTING) throw invalidFilter('Invalid query: filter is nested too deeply')
  return {
    join,
    filters: value.map((item: unknown) => {
      if (typeof item !== 'object' || item === null || Array.isArray(item)) throw malformed()
      const filter = readFilter(item, reading, nesting + 1)
      if (filter.size === 0) throw invalidFilter(`Invalid query: ${join} has an empty filter`)
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
  if (column !== 'id' && !findColumn(table, column)) throw unknownColumn(column, table)
  if (Array.isArray(wanted)) return wanted as Cell[]
  return parseOperators(column, wanted, storageOf(table, column))
}

/** The error for a filter of another form or size. */
export function invalidFilter(message: string): AppError {
  return new AppError('invalid', 'INVALID_FILTER', message)
}

/** The error for a column that the table does not have. */
export function unknownColumn(column: string, table: TableShape): AppError {
  const shown = shorten(column)
  const { hint, details } = nearColumn(column, table)
  const message = `Invalid query: unknown column "${shown}"${hint}`
  return new AppError('invalid', 'UNKNOWN_COLUMN', message, { column: shown, ...details })
}

/**
 * Returns one condition per column. Allowed values are compared with stored values without parsing; numbers,
 * text and null are never equal to one another, and true equals 1. Dates and lists equal those in columns of type Any;
 * lists equal nothing elsewhere. Errors equal those of the same name. `prefix` precedes each column (`t.` or empty).
 */
export function columnConditions(
  table: TableShape,
  filter: Filter,
  prefix: string,
): ReadonlyMap<string, Condition> {
  return new Map(
    [...filter].map(([column, wanted]) => [
      column,
      'filters' in wanted
        ? groupCondition(table, wanted, prefix)
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
  const shape = findColumn(table, column)
  const expression = columnSql(shape ?? { id: column }, prefix)
  if ('operators' in wanted) {
    // An error is no text and no number; allowed values differ from it in any case.
    const subject = shape?.type.errorJsonSql
      ? `iif(${isErrorSql(expression)},NULL,${expression})`
      : expression
    return operatorsCondition(subject, wanted, storage)
  }
  const errors = wanted.flatMap((cell) => errorNameOf(cell) ?? [])
  const others = wanted.filter((cell) => errorNameOf(cell) === undefined)
  const equal = candidatesCondition(expression, storedCandidates(others, storage))
  if (errors.length === 0) return equal
  const named = `${errorNameSql(expression)} IN (SELECT value FROM json_each(?))`
  return {
    sql: `${equal.sql} OR (${isErrorSql(expression)} AND ${named})`,
    params: [...equal.params, JSON.stringify(errors)],
    needsScan: true,
  }
}

function errorNameOf(cell: Cell): string | undefined {
  return Array.isArray(cell) && cell[0] === 'E' && typeof cell[1] === 'string' ? cell[1] : undefined
}

function groupCondition(
  table: TableShape,
  { join, filters }: FilterGroup,
  prefix: string,
): Condition {
  const conditions = filters.map((filter) =>
    allConditions(columnConditions(table, filter, prefix).values()),
  )
  return {
    sql: conditions.map(({ sql }) => `(${sql})`).join(join === 'or' ? ' OR ' : ' AND '),
    params: conditions.flatMap(({ params }) => params),
    needsScan: true,
  }
}

/** Combines all conditions with AND; `1` if there are none. */
export function allConditions(conditions: Iterable<Condition>): Condition {
  const all = [...conditions]
  if (all.length === 0) return { sql: '1', params: [] }
  return {
    sql: all.map(({ sql }) => `(${sql})`).join(' AND '),
    params: all.flatMap(({ params }) => params),
  }
}
