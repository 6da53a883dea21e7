import { csvLine } from '../formats/csv'
import type { RowFormat } from '../formats/create-row-writer'
import { recordColumns, type KeptColumn } from '../formats/record-columns'
import { rowCsvSql } from './row-csv'
import { columnJsonSqls, rowJsonSql, shownColumns, type ColumnSql } from './row-json'
import { rowListSql } from './row-list'
import type { TableShape } from './table-shape'

/** Output options of rows. */
export interface RowForm {
  /** True to include hidden columns; columnar output always includes them. */
  readonly hidden: boolean
  /** True to write cells with type codes; not supported for Arrow. */
  readonly typed: boolean
  /** True for columnar output, one list per column; JSON only. */
  readonly inColumns: boolean
  /** Output format; a JSON document if absent. */
  readonly format?: RowFormat
}

/** Text around the rows. */
export interface RowFrame {
  readonly head: string
  /** Separator of rows. */
  readonly separator: string
  readonly tail: string
  /** Replaces the tail if extras follow the rows. */
  readonly openTail: string
}

/** Output format of the rows of a table: plain data that can be sent to a worker thread. */
export interface RowSql {
  /** SQL of a row's text. */
  readonly row: string
  readonly frame: RowFrame
  /** Lists of a columnar response, one per column; replaces rows. */
  readonly columns?: readonly ColumnSql[]
  /** Columns of an Arrow stream, whose rows SQLite writes as JSON lists. */
  readonly arrow?: readonly KeptColumn[]
}

const JSON_FRAME: RowFrame = { head: '{"records":[', separator: ',', tail: ']}', openTail: ']' }
/** For formats whose rows end with their own newline. */
const LINES: RowFrame = { head: '', separator: '', tail: '', openTail: '' }
const LISTS: RowFrame = { head: '', separator: ',', tail: '', openTail: '' }

/** Returns the output format for these columns of a table. */
export function rowSql(shape: TableShape, { hidden, typed, inColumns, format }: RowForm): RowSql {
  if (inColumns) return { row: '', frame: JSON_FRAME, columns: columnJsonSqls(shape, typed) }
  switch (format) {
    case undefined:
      return { row: rowJsonSql(shape, { hidden, typed }), frame: JSON_FRAME }
    case 'ndjson':
      return { row: `${rowJsonSql(shape, { hidden, typed })}||char(10)`, frame: LINES }
    case 'csv': {
      const names = shownColumns(shape, hidden).map(({ id }) => id)
      const frame = { ...LINES, head: csvLine(['id', ...names]) }
      return { row: rowCsvSql(shape, { hidden, typed }), frame }
    }
    case 'arrow': {
      const arrow = recordColumns(shownColumns(shape, hidden))
      return { row: rowListSql(shape, hidden), frame: LISTS, arrow }
    }
  }
}
