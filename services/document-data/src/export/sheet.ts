import { TAG, untag } from '../values/tagged-text'
import { isTimeZone, zoneOffset } from '../values/dates/time-zone'
import { concatSqls, specSql, withSpec } from './cell-spec'
import { headsOf, type HeaderStyle } from './delimited'
import { showColumns, type Display, type ExportedDocument, type ExportedTable } from './display'
import { anyText, displayText, type StoredCell } from './display-text'
import {
  isPlainNumberSql,
  rowColumns,
  rowSource,
  type RowColumn,
  type RowSource,
} from './shown-row'

/** Plan of an export as a worksheet: plain data that can be sent to a worker thread. */
export interface SheetPlan {
  /** Display name of the sheet. */
  readonly name: string
  readonly tableId: string
  /** XML of the header row. */
  readonly head: string
  readonly rows: RowSource
  /**
   * SQL of a row's XML, using the names of the row values and `r`, the row number in the sheet; as
   * expressions to concatenate.
   */
  readonly row: readonly string[]
}

/** Indexes of the date styles in the style list of workbook.ts. */
const dateStyle = 1
const dateTimeStyle = 2

/** Maximum number of characters per cell in the format; longer text is truncated. */
const MAX_TEXT = 32_767
/** Marks truncated text. */
const CUT = '…'
/** Separator of list items. */
const SEPARATOR = '; '

/** The first serial number with the same date in every program, since some treat 1900 as a leap year. */
const FIRST_DAY = -2_203_891_200
const LAST_DAY = 253_402_300_799
const DAY = 86_400
/** Serial number of 1 January 1970. */
const EPOCH_DAY = 25_569

/**
 * Plans the export of a table as a worksheet. SQLite formats the XML of the rows; cells that it cannot format
 * exactly go through an SQL function.
 */
export function planSheet(
  document: ExportedDocument,
  table: ExportedTable,
  { name, header }: { name: string; header: HeaderStyle },
): SheetPlan {
  const columns = showColumns(document, table)
  const heads = headsOf(columns, header).map(
    (head, i) => `<c r="${letters(i)}1"${textCell(head) ?? '/>'}`,
  )
  const row = rowColumns(columns.map(bareReferences))
  const cells = row.map((column, i) => [cellSql(column, letters(i))])
  return {
    name,
    tableId: table.tableId,
    head: `<row r="1">${heads.join('')}</row>`,
    rows: rowSource(table.tableId, row),
    row: concatSqls([[`'<row r="'`, 'r', `'">'`], ...cells, [`'</row>'`]]),
  }
}

/** In a sheet, references without a lookup are shown as row ids. */
function bareReferences<T extends { readonly display: Display }>(column: T): T {
  const { display } = column
  return display.as === 'reference' || display.as === 'references'
    ? { ...column, display: { as: display.as, table: '' } }
    : column
}

/** Returns the letters of a sheet column: A to Z, AA and so on. */
export function letters(index: number): string {
  const rest = Math.floor(index / 26)
  return (rest > 0 ? letters(rest - 1) : '') + String.fromCharCode(65 + (index % 26))
}

/**
 * Formats a cell as the XML after its address, null for a blank; registered with SQLite as
 * `sheaf_sheet_cell`.
 */
export const sheetCellOf = withSpec((value: StoredCell, display: Display) =>
  typeof value === 'string' && display.as === 'any' && value.startsWith(TAG)
    ? codedCell(untag(value))
    : sheetCell(value, display),
)

function sheetCell(value: StoredCell, display: Display): string | null {
  if (value === null) return display.as === 'bool' ? boolCell(false) : null
  if (typeof value === 'string')
    return textCell(displayText(value, display, SEPARATOR_OF[display.as]))
  switch (display.as) {
    case 'bool':
      return value === 0 || value === 1 ? boolCell(value === 1) : numberCell(value)
    case 'date':
      return dateCell(value, dateStyle) ?? textCell(displayText(value, display))
    case 'dateTime': {
      const local = value + zoneOffset(display.zone, value)
      return dateCell(local, dateTimeStyle) ?? textCell(displayText(value, display))
    }
    case 'reference':
      return textCell(String(value))
    default:
      return numberCell(value)
  }
}

/** References keep the comma of other formats. */
const SEPARATOR_OF: Readonly<Partial<Record<Display['as'], string>>> = { list: SEPARATOR }

/** Formats a decoded cell of an Any column that is neither plain text nor a number. */
function codedCell(cell: unknown): string | null {
  if (typeof cell === 'boolean') return boolCell(cell)
  if (Array.isArray(cell) && typeof cell[1] === 'number') {
    const [code, seconds, zone] = cell as [unknown, number, unknown]
    const offset = typeof zone === 'string' && isTimeZone(zone) ? zoneOffset(zone, seconds) : 0
    const dated =
      code === 'd'
        ? dateCell(seconds, dateStyle)
        : code === 'D'
          ? dateCell(seconds + offset, dateTimeStyle)
          : undefined
    if (dated !== undefined) return dated
  }
  return textCell(anyText(cell))
}

const boolCell = (value: boolean) => ` t="b"><v>${value ? 1 : 0}</v></c>`
const numberCell = (value: number) => `><v>${value}</v></c>`

/** Undefined for values outside the date range of sheets. */
function dateCell(seconds: number, style: number): string | undefined {
  if (!(seconds >= FIRST_DAY && seconds <= LAST_DAY)) return undefined
  return ` s="${style}"><v>${seconds / DAY + EPOCH_DAY}</v></c>`
}

/** Null for empty text, which a sheet cannot distinguish from a blank. */
function textCell(text: string): string | null {
  if (text === '') return null
  return ` t="inlineStr"><is><t xml:space="preserve">${xmlText(cut(text))}</t></is></c>`
}

function cut(text: string): string {
  if (text.length <= MAX_TEXT) return text
  const kept = text.slice(0, MAX_TEXT - CUT.length)
  // Does not split a surrogate pair.
  return (/[\ud800-\udbff]$/.test(kept) ? kept.slice(0, -1) : kept) + CUT
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
}

/**
 * Escapes text for XML. Characters that XML does not allow are written as `_x0001_`, as the format defines;
 * text that looks like such an escape is itself escaped.
 */
export function xmlText(text: string): string {
  return text
    .replace(/_(?=x[0-9A-Fa-f]{4}_)/g, '_x005F_')
    .replace(/[&<>"]/g, (mark) => entities[mark] ?? mark)
    .replace(FORBIDDEN, escapeUnit)
}

/** Characters that XML does not allow, and the carriage return. */
const FORBIDDEN = /[^\t\n\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu

/** Parsers normalise a carriage return to a line feed unless it is a character reference. */
const escapeUnit = (unit: string) =>
  unit === '\r' ? '&#13;' : `_x${unit.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}_`

/** SQL condition: the text may need escaping or truncation. */
function isSpecialTextSql(c: string): string {
  // GLOB stops at NUL, which is tested separately. The length in bytes is at least the length in characters.
  return (
    `octet_length(${c})>${MAX_TEXT} OR ${c} GLOB '*[&<>\u0001-\u001f\ufffe\uffff]*' ` +
    `OR instr(${c},'_x') OR instr(${c},char(0))`
  )
}

/** SQL of a cell's XML; null for a blank. */
function cellSql({ name: c, display, isComputed }: RowColumn, letter: string): string {
  const begin = `'<c r="${letter}'||r||'"`
  const other = `${begin}'||sheaf_sheet_cell(${c},${specSql(display)})`
  if (isComputed) return other
  const number = `${begin}><v>'||${c}||'</v></c>'`
  switch (display.as) {
    case 'text': {
      const text = `${begin} t="inlineStr"><is><t xml:space="preserve">'||${c}||'</t></is></c>'`
      return `CASE WHEN ${c}='' THEN NULL WHEN ${isSpecialTextSql(c)} THEN ${other} ELSE ${text} END`
    }
    case 'number':
      return `iif(${isPlainNumberSql(c)},${number},${other})`
    case 'bool': {
      const bool = (value: boolean) => `${begin}${boolCell(value)}'`
      return `CASE WHEN ${c}=1 THEN ${bool(true)} WHEN ${c}=0 OR ${c} IS NULL THEN ${bool(false)} ELSE ${other} END`
    }
    case 'date': {
      const date = `${begin} s="${dateStyle}"><v>'||(${c}/${DAY}+${EPOCH_DAY})||'</v></c>'`
      return `iif(typeof(${c})='integer' AND ${c} BETWEEN ${FIRST_DAY} AND ${LAST_DAY} AND ${c}%${DAY}=0,${date},${other})`
    }
    case 'int':
    case 'any':
      return `iif(typeof(${c})='integer',${number},${other})`
    default:
      return `iif(${c} IS NULL,NULL,${other})`
  }
}
