import { cellJsonSql } from '../values/column-type'
import { quoteId, quoteText } from '../quoting/quote'
import type { ColumnShape, TableShape } from './table-shape'

/** Columns in one json_object: it has two arguments for each, of at most 1,000. */
const MAX_IN_OBJECT = 450
/** Columns in one concat: likewise, and there are at most 2,000 columns in a table. */
const MAX_IN_CONCAT = 200

/** What of a row is written. */
export interface RowJsonOptions {
  /** True to write hidden columns as well. */
  hidden: boolean
  /** True to write cells with codes that tell their type. */
  typed?: boolean
  /** Name of the table in the statement, when it is not alone in it. */
  alias?: string
}

/**
 * SQL expression that gives one row as JSON text, `{"id":1,"fields":{…}}`: data columns in their order, then formula
 * columns. Calls the functions of sql-functions.ts.
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

/** A list of cells of a columnar answer. */
export interface ColumnSql {
  /** JSON text of its name. */
  readonly key: string
  /** SQL expression of a cell's JSON text. */
  readonly cell: string
}

/** The lists of a columnar answer: `id`, then all columns, hidden ones too, in the order of `rowJsonSql`. */
export function columnJsonSqls(shape: TableShape, typed: boolean): ColumnSql[] {
  const cells = inOrder(shape.columns).map((column) => ({
    key: JSON.stringify(column.id),
    cell: `json_quote(${valueSql(column, '', typed)})`,
  }))
  return [{ key: '"id"', cell: 'CAST("id" AS TEXT)' }, ...cells]
}

/** The columns of a row as it is written: data columns in their order, then formula columns. */
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

/** The same text in pieces, because no function takes so many arguments and no expression may be so deep. */
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
