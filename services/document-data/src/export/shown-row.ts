import { quoteId, quoteText } from '../quoting/quote'
import { specSql } from './cell-spec'
import type { Display, Lookup, ShownColumn } from './display'

/** A column of the rows that an export reads: the SQL of its value there, and how that is shown. */
export interface RowColumn {
  /** Short name of the value in the statement. */
  readonly name: string
  /** SQL of the value, over the columns of the table. */
  readonly value: string
  readonly display: Display
  /** True when the value costs more than reading it, so that it should stand in the statement once. */
  readonly isComputed: boolean
}

/** Name of the row in the SQL of its values; what is looked up for it may have columns of the same names. */
const ROW = '_row'
const LOOKED_UP = '_found'

/**
 * The values that an export reads of each row. A reference that is looked up is read as the text that the row it names
 * shows, the row's own name when there is none; a list of them as a list of such texts.
 */
export function rowColumns(columns: readonly ShownColumn[]): RowColumn[] {
  return columns.map(({ id, display, lookup }, i) => {
    const value = `${ROW}.${quoteId(id)}`
    const name = `c${i}`
    if (!lookup) return { name, value, display, isComputed: false }
    return display.as === 'references'
      ? { name, value: lookedUpList(value, lookup), display: { as: 'list' }, isComputed: true }
      : { name, value: lookedUp(value, lookup), display: { as: 'text' }, isComputed: true }
  })
}

/** Where the rows of an export come from. */
export interface RowSource {
  /** Quoted name of the table. */
  readonly from: string
  /** SQL of the row id. */
  readonly id: string
  /** SQL of the values of a row, the row id among them, each with its name. */
  readonly values: string
}

/** The rows of a table with these values. */
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
 * SQL condition: a number is an INTEGER, or a REAL that SQLite writes in full and without an exponent: at most six digits
 * after the point and ten before it.
 */
export function isPlainNumberSql(c: string): string {
  return (
    `typeof(${c})='integer' OR (typeof(${c})='real' AND abs(${c}) BETWEEN 1e-4 AND 1e7 ` +
    `AND round(${c}*1e6)/1e6=${c} AND CAST(${c} AS INTEGER)<>${c})`
  )
}
