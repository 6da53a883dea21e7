import { cellJsonSql } from '../values/column-type'
import { quoteId } from '../quoting/quote'
import { shownColumns } from './row-json'
import type { TableShape } from './table-shape'

/** Elements of one json_array, which has at most 1,000 arguments. */
const MAX_IN_ARRAY = 900
/** Elements of one concat: likewise, with a comma for each; and there are at most 2,000 columns in a table. */
const MAX_IN_CONCAT = 400

/** SQL expression that gives one row as a JSON list: the row id, then the cells in the order of `rowJsonSql`. */
export function rowListSql(shape: TableShape, hidden: boolean): string {
  const cells = shownColumns(shape, hidden).map(({ id, type }) =>
    cellJsonSql(type, quoteId(id), false),
  )
  if (cells.length < MAX_IN_ARRAY) return `json_array(${['"id"', ...cells].join(',')})`
  const pieces: string[] = []
  for (let start = 0; start < cells.length; start += MAX_IN_CONCAT) {
    const some = cells.slice(start, start + MAX_IN_CONCAT)
    pieces.push(`concat(${some.map((cell) => `',',json_quote(${cell})`).join(',')})`)
  }
  return `'['||"id"||${pieces.join('||')}||']'`
}
