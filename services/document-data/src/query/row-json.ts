import { cellJsonSql } from '../values/column-type'
import { cellsSql, columnSql, errorNameSql, isErrorSql } from '../values/error-cells'
import { quoteText } from '../quoting/quote'
import type { ColumnShape, TableShape } from './table-shape'

/** Maximum number of columns per json_object: each takes two of at most 1,000 arguments. */
const MAX_IN_OBJECT = 450
/** Maximum number of columns per concat, for the same reason. A table has at most 2,000 columns. */
const MAX_IN_CONCAT = 200

/** Output options of a row. */
export interface RowJsonOptions {
  /** True to include hidden columns. */
  hidden: boolean
  /** True to write cells with type codes. */
  typed?: boolean
  /** Alias of the table, if the statement contains others. */
  alias?: string
}

/**
 * SQL expression for one row as JSON text, `{"id":1,"fields":{…}}`: data columns in order, then formula
 * columns. Uses the functions of sql-functions.ts.
 */
export function rowJsonSql(shape: TableShape, options: RowJsonOptions): string {
  const { hidden, alias, typed = false } = options
  const prefix = alias === undefined ? '' : `${alias}.`
  const cells = shownColumns(shape, hidden).map((column) => ({
    id: column.id,
    sql: valueSql(column, prefix, typed),
  }))
  const fields = cells.length > MAX_IN_OBJECT ? wideFields(cells) : narrowFields(cells)
  const errors = typed ? undefined : errorsSql(shownColumns(shape, hidden), prefix)
  const end = errors === undefined ? `'}'` : `${errors}||'}'`
  return `'{"id":'||${prefix}"id"||',"fields":'||${fields}||${end}`
}

/** SQL of the member `errors` of a row, empty text without errors; undefined when no column can hold one. */
function errorsSql(columns: readonly ColumnShape[], prefix: string): string | undefined {
  const found = columns.filter(({ type }) => type.errorJsonSql !== undefined)
  if (found.length === 0) return undefined
  const names: string[] = []
  for (let start = 0; start < found.length; start += MAX_IN_CONCAT) {
    const some = found.slice(start, start + MAX_IN_CONCAT).map((column) => {
      const cell = columnSql(column, prefix)
      const key = quoteText(`,${JSON.stringify(column.id)}:`)
      return `iif(${isErrorSql(cell)},${key}||json_quote(${errorNameSql(cell)}),'')`
    })
    names.push(`concat(${some.join(',')})`)
  }
  return `(SELECT iif(e='','',',"errors":{'||substr(e,2)||'}') FROM (SELECT ${names.join('||')} AS e))`
}

/** The list of one column in a columnar response. */
export interface ColumnSql {
  /** Name of the list as JSON text. */
  readonly key: string
  /** SQL expression for the JSON text of a cell. */
  readonly cell: string
}

/**
 * Returns the lists of a columnar response: `id`, then all columns, including hidden ones, in the order of
 * `rowJsonSql`.
 */
export function columnJsonSqls(shape: TableShape, typed: boolean): ColumnSql[] {
  const cells = inOrder(shape.columns).map((column) => ({
    key: JSON.stringify(column.id),
    cell: `json_quote(${listedSql(column, typed)})`,
  }))
  return [{ key: '"id"', cell: 'CAST("id" AS TEXT)' }, ...cells]
}

/** Returns the columns of a row in output order: data columns in order, then formula columns. */
export function shownColumns({ columns }: TableShape, hidden: boolean): ColumnShape[] {
  return inOrder(columns.filter((column) => hidden || !column.hidden))
}

function inOrder(columns: readonly ColumnShape[]): ColumnShape[] {
  return [
    ...columns.filter((column) => !column.isFormula),
    ...columns.filter((column) => column.isFormula),
  ]
}

function valueSql(column: ColumnShape, prefix: string, typed: boolean): string {
  return cellJsonSql(column.type, cellsSql(column, prefix), typed)
}

/** Lists have no place for an error beside the cell. */
function listedSql(column: ColumnShape, typed: boolean): string {
  const { type } = column
  if (typed || !type.errorJsonSql) return valueSql(column, '', typed)
  return type.errorJsonSql(cellsSql(column))
}

interface CellSql {
  readonly id: string
  readonly sql: string
}

function narrowFields(cells: readonly CellSql[]): string {
  return `json_object(${cells.map(({ id, sql }) => `${quoteText(id)},${sql}`).join(',')})`
}

/** The same text in parts, because SQLite limits function arguments and the depth of expressions. */
function wideFields(cells: readonly CellSql[]): string {
  const pieces: string[] = []
  for (let start = 0; start < cells.length; start += MAX_IN_CONCAT) {
    const pairs = cells.slice(start, start + MAX_IN_CONCAT).map(({ id, sql }, i) => {
      const key = `${start + i === 0 ? '' : ','}${JSON.stringify(id)}:`
      return `${quoteText(key)},json_quote(${sql})`
    })
    pieces.push(`concat(${pairs.join(',')})`)
  }
  return `'{'||${pieces.join('||')}||'}'`
}
