import { cellJsonSql } from '../values/column-type'
import { cellsSql } from '../values/error-cells'
import { isTaggedSql } from '../values/tagged-text'
import { shownColumns, type RowJsonOptions } from './row-json'
import type { ColumnShape, TableShape } from './table-shape'

/**
 * Maximum number of columns per concat: each takes two of at most 1,000 arguments. A table has at most 2,000
 * columns.
 */
const MAX_IN_CONCAT = 200

/**
 * SQL expression for one row as a CSV line, including the line ending: the row id, then the columns in the
 * order of `rowJsonSql`. Cells are written as in JSON, quoted only where necessary. Null is an empty field
 * and empty text is `""`.
 */
export function rowCsvSql(shape: TableShape, { hidden, typed = false }: RowJsonOptions): string {
  const cells = shownColumns(shape, hidden).map((column) => `',',${cellCsvSql(column, typed)}`)
  const pieces: string[] = []
  for (let start = 0; start < cells.length; start += MAX_IN_CONCAT)
    pieces.push(`concat(${cells.slice(start, start + MAX_IN_CONCAT).join(',')})`)
  return ['"id"', ...pieces, 'char(10)'].join('||')
}

function cellCsvSql(shape: ColumnShape, typed: boolean): string {
  const { type } = shape
  const { storage } = type
  const column = cellsSql(shape)
  const isPlain = (storage === 'text' || storage === 'number') && !type.errorJsonSql
  const isCoded = typed && type.typedJsonSql !== undefined
  const json = cellJsonSql(type, column, typed)
  if (!isPlain)
    return computedFieldSql(`iif(${isJsonTextSql(column)}, ${textOfSql(column)}, ${json})`)
  if (isCoded) return computedFieldSql(json)
  if (storage === 'text') return fieldSql(column)
  // Numbers need no quotes, which avoids a search for special characters.
  return `CASE typeof(${column}) WHEN 'integer' THEN ${json} WHEN 'real' THEN nullif(${json},'null') ELSE ${fieldSql(column)} END`
}

/** The cell is text, of which the stored value is the JSON. */
function isJsonTextSql(column: string): string {
  return `${isTaggedSql(column)} AND substr(${column},2,1)='"'`
}

function textOfSql(column: string): string {
  return `json_extract(substr(${column},2),'$')`
}

function computedFieldSql(value: string): string {
  return `(SELECT ${fieldSql('v')} FROM (SELECT ${value} AS v))`
}

/** SQL of a field; null becomes empty in a concat. */
function fieldSql(value: string): string {
  const quoted = `'"'||replace(${value},'"','""')||'"'`
  const isPlain = ["','", "'\"'", 'char(10)', 'char(13)'].map((text) => `instr(${value},${text})=0`)
  return `CASE WHEN ${value}<>'' AND ${isPlain.join(' AND ')} THEN ${value} ELSE ${quoted} END`
}
