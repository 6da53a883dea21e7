import { quoteId, quoteText } from '../quoting/quote'
import { columnSql, errorNameSql, isErrorSql } from '../values/error-cells'
import { specSql } from './cell-spec'
import type { Display, Lookup, ShownColumn } from './display'

/** A column of the exported rows: the SQL of its value and its display format. */
export interface RowColumn {
  /** Short alias of the value in the statement. */
  readonly name: string
  /** SQL of the value, using the columns of the table. */
  readonly value: string
  readonly display: Display
  /**
   * True if the value is more expensive than a column read, so that the statement should contain it only
   * once.
   */
  readonly isComputed: boolean
}

/**
 * Alias of the row in the SQL of its values, because the table of a lookup may have columns of the same
 * names.
 */
const ROW = '_row'
const LOOKED_UP = '_found'

/**
 * Returns the values to read from each row. A reference with a lookup is read as the display text of the
 * referenced row, or the row's own name if there is none; a reference list is read as a list of such texts.
 */
export function rowColumns(columns: readonly ShownColumn[]): RowColumn[] {
  return columns.map((column, i) => {
    const { display, lookup } = column
    const value = readableSql(column)
    const name = `c${i}`
    if (!lookup) return { name, value, display, isComputed: column.type.errorJsonSql !== undefined }
    return display.as === 'references'
      ? { name, value: lookedUpList(value, lookup), display: { as: 'list' }, isComputed: true }
      : { name, value: lookedUp(value, lookup), display: { as: 'text' }, isComputed: true }
  })
}

/** The value of a column, with an error as text: `#DIV/0!`, or its class name after `#`. */
function readableSql(column: ShownColumn): string {
  const value = columnSql(column, `${ROW}.`)
  if (!column.type.errorJsonSql) return value
  const name = errorNameSql(value)
  return `iif(${isErrorSql(value)},iif(${name}='ZeroDivisionError','#DIV/0!','#'||${name}),${value})`
}

/** The FROM clause and values of an export. */
export interface RowSource {
  /** Quoted name of the table. */
  readonly from: string
  /** SQL of the row id. */
  readonly id: string
  /** SQL of the aliased values of a row, including the row id. */
  readonly values: string
}

/** Returns the row source of a table with these values. */
export function rowSource(tableId: string, columns: readonly RowColumn[]): RowSource {
  const id = `${ROW}.id`
  const values = [`${id} AS id`, ...columns.map(({ name, value }) => `${value} AS ${name}`)]
  return { from: `${quoteId(tableId)} ${ROW}`, id, values: values.join(',') }
}

function lookedUp(value: string, lookup: Lookup): string {
  const found = `(SELECT ${shownSql(lookup)} FROM ${quoteId(lookup.tableId)} ${LOOKED_UP} WHERE ${LOOKED_UP}.id=${value})`
  const missing = `iif(${value}=0,'',${rowName(value, lookup)})`
  return `iif(typeof(${value})='integer',coalesce(${found},${missing}),${value})`
}

function lookedUpList(value: string, lookup: Lookup): string {
  const item = `iif(${LOOKED_UP}.id IS NULL,${rowName('e.value', lookup)},${shownSql(lookup)})`
  const list =
    `(SELECT json_group_array(${item}) FROM json_each(${value}) e ` +
    `LEFT JOIN ${quoteId(lookup.tableId)} ${LOOKED_UP} ON ${LOOKED_UP}.id=e.value)`
  return `CASE WHEN ${value}>='[' AND ${value}<'\\' THEN ${list} ELSE ${value} END`
}

const shownSql = ({ columnId, display }: Lookup) =>
  `sheaf_display(${LOOKED_UP}.${quoteId(columnId)},${specSql(display)})`

const rowName = (value: string, { tableId }: Lookup) => `${quoteText(`${tableId}[`)}||${value}||']'`

/**
 * SQL condition: the number is an INTEGER, or a REAL that SQLite prints exactly and without an exponent: at
 * most six digits after the decimal point and ten before it.
 */
export function isPlainNumberSql(c: string): string {
  return (
    `typeof(${c})='integer' OR (typeof(${c})='real' AND abs(${c}) BETWEEN 1e-4 AND 1e7 ` +
    `AND round(${c}*1e6)/1e6=${c} AND CAST(${c} AS INTEGER)<>${c})`
  )
}
