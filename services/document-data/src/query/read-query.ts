import type { StoredValue } from '../values/column-type'
import { quoteId } from '../quoting/quote'
import { allConditions, columnConditions, invalidFilter } from './filter'
import type { Condition, Filter } from './filter'
import type { Position } from './cursor'
import { searchCondition, type Search } from './search'
import { orderTerms } from './sort'
import type { Order, SortKey } from './sort'
import type { TableShape } from './table-shape'

/** The rows to read and their order. */
export interface ReadRequest {
  filter?: Filter
  search?: Search
  sort: readonly SortKey[]
  /** Maximum number of rows; 0 for all. */
  limit: number
  /** Number of rows to skip; none if absent. */
  offset?: number
  /** Ids of the columns to return; all if absent. */
  fields?: readonly string[]
  /** True to read a page that returns a cursor. */
  paged?: boolean
  /** True to count the rows that pass filter and search. */
  counted?: boolean
}

/** Results to determine besides the rows: plain data that can be sent to a worker thread. */
export interface ReadExtras {
  /** True to count the rows. */
  readonly counted: boolean
  /** The number of rows, where it is known and need not be counted. */
  readonly total?: number
  readonly page?: PageQuery
}

/** A page in a sort order. */
export interface PageQuery {
  /** End of the previous page; undefined for the first page. */
  readonly after?: Position
}

/** The parts of a SELECT. The SQL uses the functions of sql-functions.ts. */
export interface ReadQuery {
  /** Condition; `1` selects every row. */
  where: string
  /**
   * The parts of `where` that an index on their column can answer, by column id, each with its own bound
   * values.
   */
  byColumn: ReadonlyMap<string, Condition>
  /** The order; its last term is the row id. */
  order: Order
  /** True for row id order, in which ranges of ids can be read one after the other. */
  inIdOrder: boolean
  /** Maximum number of rows; 0 for all. */
  limit: number
  /** Number of rows to skip after the previous page; none if absent. */
  offset?: number
  /** Bound values of `where`. */
  params: StoredValue[]
  /** Ids of the columns to return; all if absent. */
  fields?: readonly string[]
  /** Results to determine besides the rows; absent if none. */
  extras?: ReadExtras
  /** What the rows are searched for. */
  search?: Search
}

/** Values that a statement can bind, 32,766 for SQLite, less those of an order and a page. */
const MAX_BOUND = 32_000

/**
 * Converts a checked request to SQL with bound values. `alias` names the table if the statement contains
 * others; without it, columns named like those of json_each would be ambiguous.
 */
export function buildReadQuery(
  table: TableShape,
  request: ReadRequest,
  { alias }: { alias?: string } = {},
): ReadQuery {
  const prefix = alias === undefined ? '' : `${alias}.`
  const { limit, offset, paged = false, counted = false } = request
  const conditions = columnConditions(table, request.filter ?? new Map(), prefix)
  const { search } = request
  const condition = allConditions([
    ...conditions.values(),
    ...searchConditions(table, search, alias),
  ])
  if (condition.params.length > MAX_BOUND)
    throw invalidFilter('Invalid query: filter has too many values for this search')
  const order = orderTerms(table, request.sort, prefix)
  return {
    where: condition.sql,
    byColumn: indexable(conditions),
    order,
    // Pages are not read by ranges of ids, so either direction works.
    inIdOrder: order.sql === `${prefix}"id"` || (paged && order.terms.length === 1),
    limit,
    offset,
    params: condition.params,
    fields: request.fields,
    search,
    extras: paged || counted ? { counted, page: paged ? {} : undefined } : undefined,
  }
}

/** Columns are named with their table, since a search of references reads others. */
function searchConditions(
  { tableId }: TableShape,
  search: Search | undefined,
  alias = quoteId(tableId),
): Condition[] {
  return search ? [searchCondition(search, `${alias}.`)] : []
}

function indexable(conditions: ReadonlyMap<string, Condition>): ReadonlyMap<string, Condition> {
  for (const { needsScan } of conditions.values())
    if (needsScan) return new Map([...conditions].filter(([, condition]) => !condition.needsScan))
  return conditions
}
