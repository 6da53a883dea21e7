import { csvLine } from '../formats/csv'
import type { RowFormat } from '../formats/create-row-writer'
import { recordColumns, type KeptColumn } from '../formats/record-columns'
import { rowCsvSql } from './row-csv'
import { columnJsonSqls, rowJsonSql, shownColumns, type ColumnSql } from './row-json'
import { rowListSql } from './row-list'
import type { TableShape } from './table-shape'

/** How rows are written. */
export interface RowForm {
  /** True to include hidden columns; in lists they always are. */
  readonly hidden: boolean
  /** True to write cells with codes that tell their type; not for Arrow. */
  readonly typed: boolean
  /** True for a list for each column instead of rows; for JSON only. */
  readonly inColumns: boolean
  /** A JSON document when absent. */
  readonly format?: RowFormat
}

/** What stands around the rows. */
export interface RowFrame {
  readonly head: string
  /** Between two rows. */
  readonly separator: string
  readonly tail: string
  /** Instead of the tail, where something is told behind the rows. */
  readonly openTail: string
}

/** How the rows of a table are written, as plain values that can go to another thread. */
export interface RowSql {
  /** SQL of a row's text. */
  readonly row: string
  readonly frame: RowFrame
  /** The lists to answer instead of rows, one for each column. */
  readonly columns?: readonly ColumnSql[]
  /** Columns of an Arrow stream, which is made of rows that are JSON lists. */
  readonly arrow?: readonly KeptColumn[]
}

const JSON_FRAME: RowFrame = { head: '{"records":[', separator: ',', tail: ']}', openTail: ']' }
/** Each row ends its line by itself. */
const LINES: RowFrame = { head: '', separator: '', tail: '', openTail: '' }
const LISTS: RowFrame = { head: '', separator: ',', tail: '', openTail: '' }

/** How these columns of a table are written. */
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
