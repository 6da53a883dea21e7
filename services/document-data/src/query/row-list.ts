import { columnSql } from '../values/error-cells'
import { shownColumns } from './row-json'
import type { ColumnShape, TableShape } from './table-shape'

/** Maximum number of elements per json_array, which has at most 1,000 arguments. */
const MAX_IN_ARRAY = 900
/**
 * Maximum number of elements per concat: each takes a second argument for its comma. A table has at most
 * 2,000 columns.
 */
const MAX_IN_CONCAT = 400

/** SQL expression for one row as a JSON list: the row id, then the cells in the order of `rowJsonSql`. */
export function rowListSql(shape: TableShape, hidden: boolean): string {
  const cells = shownColumns(shape, hidden).map(listedSql)
  if (cells.length < MAX_IN_ARRAY) return `json_array(${['"id"', ...cells].join(',')})`
  const pieces: string[] = []
  for (let start = 0; start < cells.length; start += MAX_IN_CONCAT) {
    const some = cells.slice(start, start + MAX_IN_CONCAT)
    pieces.push(`concat(${some.map((cell) => `',',json_quote(${cell})`).join(',')})`)
  }
  return `'['||"id"||${pieces.join('||')}||']'`
}

/** A list has no place for an error beside its cell, so it is the cell. */
function listedSql(column: ColumnShape): string {
  const { type } = column
  return (type.errorJsonSql ?? type.jsonSql)(columnSql(column))
}
