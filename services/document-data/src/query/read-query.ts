import type { StoredValue } from '../values/column-type'
import { allConditions, columnConditions } from './filter'
import type { Condition, Filter } from './filter'
import type { Position } from './cursor'
import { orderTerms } from './sort'
import type { OrderTerm, SortKey } from './sort'
import type { TableShape } from './table-shape'

/** Which rows to read, in which order. */
export interface ReadRequest {
  filter?: Filter
  sort: readonly SortKey[]
  /** At most this many rows; 0 for all. */
  limit: number
  /** Rows to skip before the first one; none when absent. */
  offset?: number
  /** Ids of the columns to show; all when absent. */
  fields?: readonly string[]
  /** True to read a page after which reading can go on. */
  paged?: boolean
  /** True to count the rows that pass the filter. */
  counted?: boolean
}

/** What is found out before the rows of an answer. All of it are plain values that can go to another thread. */
export interface ReadExtras {
  readonly counted: boolean
  readonly page?: PageQuery
}

/** A page in an order. */
export interface PageQuery {
  /** Terms of the order; the last one is the row id. */
  readonly terms: readonly OrderTerm[]
  /** Values of the placeholders in the terms. */
  readonly params: readonly StoredValue[]
  /** Where the page before ended; undefined for the first page. */
  readonly after?: Position
}

/** The parts of a SELECT; the SQL calls the functions of sql-functions.ts. */
export interface ReadQuery {
  /** Condition; `1` when every row is wanted. */
  where: string
  /** The parts of `where` that an index on their column serves, by its id; each has its own bound values. */
  byColumn: ReadonlyMap<string, Condition>
  /** Terms of the order, ending in the row id. */
  orderBy: string
  /** True when the order is that of the row ids, so that ranges of ids can be read one after the other. */
  inIdOrder: boolean
  /** At most this many rows; 0 for all. */
  limit: number
  /** Rows to skip, of those after the page before; none when absent. */
  offset?: number
  /** Values of the placeholders in `where`, then of those in `orderBy` unless there is a page. */
  params: StoredValue[]
  /** Ids of the columns to show; all when absent. */
  fields?: readonly string[]
  /** What is found out beside the rows; absent when there is nothing. */
  extras?: ReadExtras
}

/**
 * Turns a checked request into SQL with bound values. `alias` names the table in the statement when it is not alone
 * in it; a column named like one of json_each would else be ambiguous.
 */
export function buildReadQuery(
  table: TableShape,
  request: ReadRequest,
  { alias }: { alias?: string } = {},
): ReadQuery {
  const prefix = alias === undefined ? '' : `${alias}.`
  const { limit, offset, paged = false, counted = false } = request
  const conditions = columnConditions(table, request.filter ?? new Map(), prefix)
  const condition = allConditions(conditions)
  const order = orderTerms(table, request.sort, prefix)
  return {
    where: condition.sql,
    byColumn: indexable(conditions),
    orderBy: order.sql,
    // A page needs no range of ids to be read, so that either direction will do.
    inIdOrder: order.sql === `${prefix}"id"` || (paged && order.terms.length === 1),
    limit,
    offset,
    params: paged ? condition.params : [...condition.params, ...order.params],
    fields: request.fields,
    extras:
      paged || counted
        ? { counted, page: paged ? { terms: order.terms, params: order.params } : undefined }
        : undefined,
  }
}

function indexable(conditions: ReadonlyMap<string, Condition>): ReadonlyMap<string, Condition> {
  for (const { needsScan } of conditions.values())
    if (needsScan) return new Map([...conditions].filter(([, condition]) => !condition.needsScan))
  return conditions
}
