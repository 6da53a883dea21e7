import type { StoredValue } from '../values/column-type'
import { allConditions, columnConditions } from './filter'
import type { Condition, Filter } from './filter'
import { orderTerms } from './sort'
import type { SortKey } from './sort'
import type { TableShape } from './table-shape'

/** Which rows to read, in which order. */
export interface ReadRequest {
  filter?: Filter
  sort: readonly SortKey[]
  /** At most this many rows; 0 for all. */
  limit: number
}

/** The parts of a SELECT; the SQL calls the functions of sql-functions.ts. */
export interface ReadQuery {
  /** Condition; `1` when every row is wanted. */
  where: string
  /** The parts of `where` by column id; each has its own bound values. */
  byColumn: ReadonlyMap<string, Condition>
  /** Terms of the order, ending in the row id. */
  orderBy: string
  /** True when the order is that of the row ids, so that ranges of ids can be read one after the other. */
  inIdOrder: boolean
  /** At most this many rows; 0 for all. */
  limit: number
  /** Values of the placeholders in `where`, then of those in `orderBy`. */
  params: StoredValue[]
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
  const byColumn = columnConditions(table, request.filter ?? new Map(), prefix)
  const condition = allConditions(byColumn)
  const order = orderTerms(table, request.sort, prefix)
  return {
    where: condition.sql,
    byColumn,
    orderBy: order.sql,
    inIdOrder: order.sql === `${prefix}"id"`,
    limit: request.limit,
    params: [...condition.params, ...order.params],
  }
}
