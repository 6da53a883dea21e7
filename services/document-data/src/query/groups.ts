import { AppError } from '@sheaf/kit/errors'
import { quoteId } from '../quoting/quote'
import type { StoredValue } from '../values/column-type'
import { aggregateSql, operandSql, type Aggregate } from './aggregates'
import { countedSql } from './column-values'
import type { Filter } from './filter'
import { buildReadQuery } from './read-query'
import type { Search } from './search'
import { orderTerms, parseSort, type OrderTerm, type SortKey } from './sort'
import { findColumn, type ColumnShape, type TableShape } from './table-shape'

/** Groups of rows to count, as plain values that can be sent to another thread. */
export interface GroupsPlan {
  readonly export: 'groups'
  /** The table, with its alias. */
  readonly from: string
  /** SQL of the values of a row that statements name: order terms, grouped cells, operands of aggregates. */
  readonly columns: readonly string[]
  readonly where: string
  /** Bound values of `columns`, then of `where`. */
  readonly params: readonly StoredValue[]
  /** One for each column by which rows are grouped, outermost first. */
  readonly levels: readonly Level[]
  readonly aggregates: readonly PlannedAggregate[]
  /** Maximum number of innermost groups. */
  readonly limit: number
}

/** One column by which rows are grouped. */
interface Level {
  /** SQL names of its order terms: rows with the same ones are a group. */
  readonly terms: readonly string[]
  /** SQL of the order of its groups. */
  readonly order: string
  /** SQL of the JSON of the value of a group. */
  readonly json: string
  /** SQL condition that the value is not listed, since it is too long. */
  readonly isLong: string
}

interface PlannedAggregate {
  readonly column: string
  readonly name: string
  readonly sql: string
}

/** What is grouped, and how. */
interface GroupsRequest {
  readonly groupBy: readonly SortKey[]
  readonly aggregates: readonly Aggregate[]
  readonly filter: Filter
  readonly search: Search | undefined
  readonly limit: number
}

const MAX_LEVELS = 3
/** Aggregates of all listed groups together, so that the answer is of limited size. */
const MAX_NUMBERS = 250_000
/** Longer text and lists of a group are not listed, so that the answer is of limited size. */
const MAX_BYTES = 1_000
const ALIAS = 't'

/**
 * Reads the columns by which rows are grouped, outermost first, as sort keys. Throws AppError `invalid`: as `parseSort`, and
 * INVALID_GROUPS for the row id, a repeated column, or too many.
 */
export function parseGroupBy(keys: readonly string[], table: TableShape): SortKey[] {
  const groupBy = parseSort(keys, table)
  if (groupBy.length > MAX_LEVELS) throw invalid(`must not have more than ${MAX_LEVELS} columns`)
  const ids = groupBy.map(({ column }) => column)
  if (ids.includes('id')) throw invalid('must not have the row id')
  if (new Set(ids).size < ids.length) throw invalid('must not have a column twice')
  return groupBy
}

function invalid(fault: string): AppError {
  return new AppError('invalid', 'INVALID_GROUPS', `Invalid query: groupBy ${fault}`)
}

/**
 * Plans to count the rows that pass filter and search in groups: those that records sorted by the same keys do not tell
 * apart. Groups are in the order of these records; fewer than the limit are planned when they have many aggregates.
 */
export function planGroups(table: TableShape, request: GroupsRequest): GroupsPlan {
  const { groupBy, aggregates, filter, search, limit } = request
  const rows = buildReadQuery(table, { filter, search, sort: [], limit: 0 }, { alias: ALIAS })
  const columns: string[] = []
  const params: StoredValue[] = []
  const name = (sql: string, bound: readonly StoredValue[] = []): string => {
    params.push(...bound)
    return `c${columns.push(sql) - 1}`
  }
  const levels = groupBy.map((key) => planLevel(table, key, name))
  return {
    export: 'groups',
    from: `${quoteId(table.tableId)} AS ${ALIAS}`,
    columns,
    where: rows.where,
    params: [...params, ...rows.params],
    levels,
    aggregates: aggregates.map((aggregate) => ({
      column: aggregate.column.id,
      name: aggregate.name,
      sql: aggregateSql(aggregate, name(operandSql(aggregate, `${ALIAS}.`))),
    })),
    limit: Math.min(limit, mostGroups(levels.length, aggregates.length)),
  }
}

/** The most innermost groups to list: each level has no more groups than the innermost. */
function mostGroups(levels: number, aggregates: number): number {
  return Math.floor(MAX_NUMBERS / Math.max(levels * aggregates, 1))
}

type NameColumn = (sql: string, bound?: readonly StoredValue[]) => string

function planLevel(table: TableShape, key: SortKey, name: NameColumn): Level {
  const column = findColumn(table, key.column)
  if (!column) throw new Error(`unknown column ${key.column}`)
  const terms = ownTerms(table, key).map(({ sql, params, descending }) => ({
    name: name(sql, params),
    descending,
  }))
  // Rows that sort alike have, with few exceptions, the same cell.
  const value = `min(${name(countedSql(column, `${ALIAS}.`))})`
  return {
    terms: terms.map((term) => term.name),
    order: terms.map((term) => (term.descending ? `${term.name} DESC` : term.name)).join(','),
    json: jsonSql(column, value),
    isLong: `typeof(${value})='text' AND octet_length(${value})>${MAX_BYTES}`,
  }
}

/** The order terms of a key, without those that order the rows of a group. */
function ownTerms(table: TableShape, key: SortKey): readonly OrderTerm[] {
  const others = orderTerms(table, [], `${ALIAS}.`).terms.length
  const hasManualSort = key.column !== 'manualSort' && findColumn(table, 'manualSort')
  const { terms } = orderTerms(table, [key], `${ALIAS}.`)
  return terms.slice(0, terms.length - others - (hasManualSort ? 1 : 0))
}

function jsonSql({ type }: ColumnShape, value: string): string {
  return `json_quote(${(type.errorJsonSql ?? type.jsonSql)(value)})`
}

/** The statement of the groups of the first `depth` columns; of 0, of the only row with the aggregates of all rows. */
export function groupsSql(plan: GroupsPlan, depth: number): string {
  const { columns, from, where, aggregates, limit } = plan
  const levels = plan.levels.slice(0, depth)
  const level = levels.at(-1)
  const rows = `SELECT ${['1', ...columns.map((sql, i) => `${sql} AS c${i}`)].join(',')} FROM ${from} NOT INDEXED WHERE ${where}`
  const value = level ? [`iif(${level.isLong},NULL,${level.json})`] : []
  const results = [...value, 'count(*)', ...aggregates.map(({ sql }) => sql)].join(',')
  if (!level) return `SELECT ${results} FROM (${rows})`
  const terms = levels.flatMap((each) => each.terms).join(',')
  const order = levels.map((each) => each.order).join(',')
  return `SELECT ${results} FROM (${rows}) GROUP BY ${terms} ORDER BY ${order} LIMIT ${limit + 1}`
}
