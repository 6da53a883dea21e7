import { cellJsonSql } from '../values/column-type'
import { quoteId, quoteText } from '../quoting/quote'
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
  return `'{"id":'||${prefix}"id"||',"fields":'||${fields}||'}'`
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
    cell: `json_quote(${valueSql(column, '', typed)})`,
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
  return cellJsonSql(column.type, prefix + quoteId(column.id), typed)
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
