import { quoteId } from '../quoting/quote'
import type { StoredValue } from '../values/column-type'
import { columnSql, errorNameSql, isErrorSql } from '../values/error-cells'
import type { Filter } from './filter'
import { buildReadQuery } from './read-query'
import type { Search } from './search'
import { orderTerms } from './sort'
import type { ColumnShape, TableShape } from './table-shape'

/** The distinct values of a column to count, as plain values that can be sent to another thread. */
export interface ValuesPlan {
  readonly export: 'values'
  /** Quoted name of the table, with its alias. */
  readonly from: string
  /** SQL of the counted value of a row. */
  readonly cell: string
  /** True when the elements of lists are counted in place of the cells. */
  readonly inLists: boolean
  readonly where: string
  /** Bound values of `where`. */
  readonly params: readonly StoredValue[]
  /** SQL of the JSON of a counted value. */
  readonly json: string
  /** SQL of the order of values with the same count. */
  readonly order: string
  readonly limit: number
}

/** Longer text is counted and not listed, so that the list is of limited size. */
const MAX_BYTES = 1_000
/** The counted value. */
const VALUE = 'v'
/** The table: a search reads others. */
const ALIAS = 't'

/** Which rows are counted, and how many values are listed. */
interface ValuesRequest {
  readonly filter: Filter
  readonly search: Search | undefined
  readonly limit: number
}

/** Plans to count the values of a column in the rows that pass filter and search; the most frequent ones are listed, at most `limit`. */
export function planValues(
  table: TableShape,
  column: ColumnShape,
  { filter, search, limit }: ValuesRequest,
): ValuesPlan {
  const { type } = column
  const inLists = type.storage === 'list'
  const query = { filter, search, sort: [], limit: 0 }
  const { where, params } = buildReadQuery(table, query, { alias: ALIAS })
  return {
    export: 'values',
    from: `${quoteId(table.tableId)} AS ${ALIAS}`,
    cell: countedSql(column, `${ALIAS}.`),
    inLists,
    where,
    params,
    json: inLists ? VALUE : (type.errorJsonSql ?? type.jsonSql)(VALUE),
    order: orderSql(column),
    limit,
  }
}

/** SQL of the cell that counts: errors of one class are one value, since their messages are for editors of formulas. */
export function countedSql(column: ColumnShape, prefix = ''): string {
  const cell = columnSql(column, prefix)
  if (!column.type.errorJsonSql) return cell
  const error = `char(1)||json_array('E',${errorNameSql(cell)})`
  return `iif(${isErrorSql(cell)},${error},${cell})`
}

/** The order in which records are sorted by the column. Elements of lists are numbers and text. */
function orderSql({ type, isFormula }: ColumnShape): string {
  const storage = type.storage === 'list' ? 'number' : type.storage
  const value = { id: VALUE, type: { ...type, storage }, isFormula, hidden: false }
  const key = {
    column: VALUE,
    descending: false,
    naturalSort: false,
    emptyLast: false,
    orderByChoice: false,
  }
  const { terms } = orderTerms({ tableId: '', columns: [value] }, [key], '')
  // The last term is the row id.
  const own = terms.slice(0, -1)
  return own.map(({ sql, descending }) => (descending ? `${sql} DESC` : sql)).join(',')
}

/** The statement of a plan. Its result is JSON text, `{"values":[{"value":…,"count":…},…],"total":…}`. */
export function valuesSql(plan: ValuesPlan): string {
  const { json, order, limit } = plan
  const item = `json_object('value',${json},'count',n) AS j`
  const isShort = `(typeof(${VALUE})<>'text' OR octet_length(${VALUE})<=${MAX_BYTES})`
  return `
    WITH found(${VALUE},n) AS MATERIALIZED (${countsSql(plan)})
    SELECT CAST('{"values":['||coalesce((
      SELECT group_concat(j,',') FROM (
        SELECT ${item} FROM found WHERE ${isShort} ORDER BY n DESC,${order},${VALUE} LIMIT ${limit})
    ),'')||'],"total":'||(SELECT count(*) FROM found)||'}' AS BLOB)`
}

function countsSql({ from, cell, inLists, where }: ValuesPlan): string {
  // Like all reads of rows, without the automatic indexes, which come and go.
  const rows = `SELECT ${cell} AS c FROM ${from} NOT INDEXED WHERE ${where}`
  if (!inLists) return `SELECT c,count(*) FROM (${rows}) GROUP BY 1`
  // A row counts once for an element that it has twice.
  const distinct = `(SELECT json_group_array(DISTINCT value) FROM json_each(c))`
  const list = `iif(json_array_length(c)=1,c,${distinct})`
  // Text that is kept in a column of lists has no elements.
  const elements = `CASE WHEN c IS NULL THEN '[null]' WHEN c>='[' AND c<'\\' THEN ${list} ELSE '[]' END`
  return `SELECT e.value,count(*) FROM (${rows}) r, json_each(${elements}) e GROUP BY 1`
}
