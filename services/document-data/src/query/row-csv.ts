import { cellJsonSql, type ColumnType } from '../values/column-type'
import { isTaggedSql } from '../values/tagged-text'
import { quoteId } from '../quoting/quote'
import { shownColumns, type RowJsonOptions } from './row-json'
import type { TableShape } from './table-shape'

/** Columns in one concat, which has two arguments for each, of at most 1,000; and there are at most 2,000 in a table. */
const MAX_IN_CONCAT = 200

/**
 * SQL expression that gives one row as a line of CSV, its end included: the row id, then the columns in the order of
 * `rowJsonSql`, each cell as the JSON has it, in quotes only where it needs them. Nothing stands for null, and `""` for text
 * of no length.
 */
export function rowCsvSql(shape: TableShape, { hidden, typed = false }: RowJsonOptions): string {
  const cells = shownColumns(shape, hidden).map(
    ({ id, type }) => `',',${cellCsvSql(type, quoteId(id), typed)}`,
  )
  const pieces: string[] = []
  for (let start = 0; start < cells.length; start += MAX_IN_CONCAT)
    pieces.push(`concat(${cells.slice(start, start + MAX_IN_CONCAT).join(',')})`)
  return ['"id"', ...pieces, 'char(10)'].join('||')
}

function cellCsvSql(type: ColumnType, column: string, typed: boolean): string {
  const { storage } = type
  const isPlain = storage === 'text' || storage === 'number'
  const isCoded = typed && type.typedJsonSql !== undefined
  const json = cellJsonSql(type, column, typed)
  if (!isPlain)
    return computedFieldSql(`iif(${isJsonTextSql(column)}, ${textOfSql(column)}, ${json})`)
  if (isCoded) return computedFieldSql(json)
  if (storage === 'text') return fieldSql(column)
  // A number needs no quotes, so that nobody has to look for what does.
  return `CASE typeof(${column}) WHEN 'integer' THEN ${json} WHEN 'real' THEN nullif(${json},'null') ELSE ${fieldSql(column)} END`
}

/** What is stored is the JSON of text, which the cell is. */
function isJsonTextSql(column: string): string {
  return `${isTaggedSql(column)} AND substr(${column},2,1)='"'`
}

function textOfSql(column: string): string {
  return `json_extract(substr(${column},2),'$')`
}

function computedFieldSql(value: string): string {
  return `(SELECT ${fieldSql('v')} FROM (SELECT ${value} AS v))`
}

/** SQL of a field; null is nothing, as everywhere in a concat. */
function fieldSql(value: string): string {
  const quoted = `'"'||replace(${value},'"','""')||'"'`
  const isPlain = ["','", "'\"'", 'char(10)', 'char(13)'].map((text) => `instr(${value},${text})=0`)
  return `CASE WHEN ${value}<>'' AND ${isPlain.join(' AND ')} THEN ${value} ELSE ${quoted} END`
}
