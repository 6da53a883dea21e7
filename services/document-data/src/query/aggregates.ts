import { AppError } from '@sheaf/kit/errors'
import { shorten } from '@sheaf/kit/truncate-text'
import { columnSql } from '../values/error-cells'
import { countedSql } from './column-values'
import { unknownColumn } from './filter'
import { findColumn, type ColumnShape, type TableShape } from './table-shape'

/** An aggregate of the cells of a column. */
export interface Aggregate {
  readonly column: ColumnShape
  readonly name: AggregateName
}

const names = ['filled', 'empty', 'unique', 'sum', 'average', 'min', 'max'] as const
type AggregateName = (typeof names)[number]

/** Aggregates in one request; each is a column of a statement. */
const MAX_AGGREGATES = 200

/** Types whose numbers are quantities. A truth value counts as 0 or 1. */
const QUANTITIES: ReadonlySet<string> = new Set(['Numeric', 'Int', 'Bool', 'Any'])
/** Types whose least and greatest number have a meaning. */
const ORDERED: ReadonlySet<string> = new Set(['Numeric', 'Int', 'Date', 'DateTime', 'Any'])

/** Column types to which an aggregate applies; those that are not listed apply to all. */
const typesOf: Readonly<Partial<Record<AggregateName, ReadonlySet<string>>>> = {
  sum: QUANTITIES,
  average: QUANTITIES,
  min: ORDERED,
  max: ORDERED,
}

/**
 * Reads aggregates such as `Price:sum;average`. Throws AppError `invalid`: UNKNOWN_COLUMN naming the column, and
 * INVALID_AGGREGATE for an aggregate that does not exist, is given twice or does not apply to the column, or for too many.
 */
export function parseAggregates(items: readonly string[], table: TableShape): Aggregate[] {
  const aggregates = items.flatMap((item) => readItem(item, table))
  if (aggregates.length > MAX_AGGREGATES)
    throw invalid(`aggregate must not have more than ${MAX_AGGREGATES} aggregates`)
  const seen = new Set<string>()
  for (const { column, name } of aggregates) {
    const key = `${column.id}:${name}`
    if (seen.has(key)) throw invalid(`aggregate has "${shorten(key)}" twice`)
    seen.add(key)
  }
  return aggregates
}

function readItem(item: string, table: TableShape): Aggregate[] {
  const colon = item.indexOf(':')
  const id = colon < 0 ? item : item.slice(0, colon)
  const column = findColumn(table, id)
  if (!column) throw unknownColumn(id, table)
  const given = colon < 0 ? [''] : item.slice(colon + 1).split(';')
  return given.map((text) => {
    const name = names.find((known) => known === text)
    const shown = `aggregate of column "${shorten(id)}"`
    if (!name) throw invalid(`${shown} must be one of ${names.join(', ')}`)
    if (typesOf[name]?.has(column.type.name) === false)
      throw invalid(`${shown}: ${name} does not apply to columns of type ${column.type.name}`)
    return { column, name }
  })
}

function invalid(message: string): AppError {
  return new AppError('invalid', 'INVALID_AGGREGATE', `Invalid query: ${message}`)
}

/**
 * SQL of what an aggregate depends on in a row: null where it does not count. Errors of formulas are filled cells without a
 * number, and those of one class are one value.
 */
export function operandSql({ column, name }: Aggregate, prefix: string): string {
  const cell = columnSql(column, prefix)
  switch (name) {
    case 'filled':
    case 'empty':
      return `nullif(${cell},'')`
    case 'unique':
      return `nullif(${countedSql(column, prefix)},'')`
    default:
      return `CASE WHEN typeof(${cell}) IN ('integer','real') THEN ${cell} END`
  }
}

/** SQL of an aggregate over the rows of a group, given the SQL of its operand. Sums are floating, since integers overflow. */
export function aggregateSql({ name }: Aggregate, operand: string): string {
  switch (name) {
    case 'filled':
      return `count(${operand})`
    case 'empty':
      return `count(*)-count(${operand})`
    case 'unique':
      return `count(DISTINCT ${operand})`
    case 'sum':
      return `sum(CAST(${operand} AS REAL))`
    case 'average':
      return `avg(${operand})`
    case 'min':
    case 'max':
      return `${name}(${operand})`
  }
}
