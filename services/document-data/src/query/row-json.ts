import { quoteId, quoteText } from './quote'
import type { ColumnShape, TableShape } from './table-shape'

/** Columns in one json_object: it has two arguments for each, of at most 1,000. */
const MAX_IN_OBJECT = 450
/** Columns in one concat: likewise, and there are at most 2,000 columns in a table. */
const MAX_IN_CONCAT = 200

/** What of a row is written. */
export interface RowJsonOptions {
  /** True to write hidden columns as well. */
  hidden: boolean
  /** Name of the table in the statement, when it is not alone in it. */
  alias?: string
}

/**
 * SQL expression that gives one row as JSON text, `{"id":1,"fields":{…}}`: data columns in their order, then formula
 * columns. Calls the functions of sql-functions.ts.
 */
export function rowJsonSql(shape: TableShape, { hidden, alias }: RowJsonOptions): string {
  const prefix = alias === undefined ? '' : `${alias}.`
  const shown = shape.columns.filter((column) => hidden || !column.hidden)
  const ordered = [
    ...shown.filter((column) => !column.isFormula),
    ...shown.filter((column) => column.isFormula),
  ]
  const fields =
    ordered.length > MAX_IN_OBJECT ? wideFields(ordered, prefix) : narrowFields(ordered, prefix)
  return `'{"id":'||${prefix}"id"||',"fields":'||${fields}||'}'`
}

function valueSql(column: ColumnShape, prefix: string): string {
  return column.type.jsonSql(prefix + quoteId(column.id))
}

function narrowFields(columns: readonly ColumnShape[], prefix: string): string {
  const pairs = columns.map((column) => `${quoteText(column.id)},${valueSql(column, prefix)}`)
  return `json_object(${pairs.join(',')})`
}

/** The same text in pieces, because no function takes so many arguments and no expression may be so deep. */
function wideFields(columns: readonly ColumnShape[], prefix: string): string {
  const pieces: string[] = []
  for (let start = 0; start < columns.length; start += MAX_IN_CONCAT) {
    const pairs = columns.slice(start, start + MAX_IN_CONCAT).map((column, i) => {
      const key = `${start + i === 0 ? '' : ','}${JSON.stringify(column.id)}:`
      return `${quoteText(key)},json_quote(${valueSql(column, prefix)})`
    })
    pieces.push(`concat(${pairs.join(',')})`)
  }
  return `'{'||${pieces.join('||')}||'}'`
}
