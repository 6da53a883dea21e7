import { quoteText } from '../quoting/quote'
import { concatSqls, specSql, withSpec } from './cell-spec'
import { padFormat } from './date-format'
import {
  DATE_FORMAT,
  showColumns,
  type Display,
  type ExportedDocument,
  type ExportedTable,
  type ShownColumn,
} from './display'
import { displayText, type StoredCell } from './display-text'
import {
  isPlainNumberSql,
  rowColumns,
  rowSource,
  type RowColumn,
  type RowSource,
} from './shown-row'

/** A table as delimited text, ready to be read: plain values that can go to another thread. */
export interface DelimitedPlan {
  readonly export: 'delimited'
  /** The first line. */
  readonly head: string
  readonly rows: RowSource
  /** SQL of a line, over the names of the values, in pieces that stand one after the other. */
  readonly line: readonly string[]
}

/** What an export has in its first line. */
export type HeaderStyle = 'label' | 'colId'

/** What may stand between values. */
export const delimiters: readonly string[] = [',', '\t', ';', '|', '\u{1F4A9}']

/** How a table is to be written. */
export interface DelimitedForm {
  readonly delimiter: string
  readonly header: HeaderStyle
  /** True to begin each line with the row id. */
  readonly rowIds: boolean
  /** True to write what `describeTable` describes: choice lists as JSON, dates and times with two digits each. */
  readonly standard: boolean
}

/** The heads of the columns, as the first line shows them. */
export function headsOf(
  columns: readonly { id: string; label: string }[],
  style: HeaderStyle,
): string[] {
  return columns.map(({ id, label }) => (style === 'label' ? label : id))
}

/**
 * Plans a table as delimited text. SQLite itself writes the lines, as RFC 4180 has them but with `\n`; what it cannot
 * write exactly, such as dates in a form of their own, goes through a function for each cell.
 */
export function planDelimited(
  document: ExportedDocument,
  table: ExportedTable,
  { delimiter, header, rowIds, standard }: DelimitedForm,
): DelimitedPlan {
  const shown = showColumns(document, table)
  const columns = standard ? shown.map(toStandard) : shown
  const heads = [...(rowIds ? ['id'] : []), ...headsOf(columns, header)]
  const row = rowColumns(columns)
  const fields = row.map((column) => fieldSql(column, delimiter))
  const written = rowIds ? ['id', ...fields] : fields
  const parts = written.map((field, i) => (i === 0 ? [field] : [quoteText(delimiter), field]))
  return {
    export: 'delimited',
    head: `${heads.map((head) => quoteField(head, delimiter)).join(delimiter)}\n`,
    rows: rowSource(table.tableId, row),
    line: concatSqls([...parts, ['char(10)']]),
  }
}

/** The column in the form that readers of the Table Schema standard understand. */
export function toStandard(column: ShownColumn): ShownColumn {
  const { display } = column
  if (display.as === 'list') return { ...column, display: { as: 'listJson' } }
  if (display.as !== 'date' && display.as !== 'dateTime') return column
  return { ...column, display: { ...display, format: padFormat(display.format) } }
}

/** A text as a field: in quotes where it has to be. */
function quoteField(text: string, delimiter: string): string {
  const needsQuotes =
    text.includes(delimiter) || text.includes('"') || text.includes('\n') || text.includes('\r')
  return needsQuotes ? `"${text.replaceAll('"', '""')}"` : text
}

type FieldSpec = Display & { readonly delimiter: string }

/** The field of a cell; SQL knows it as `sheaf_field`. */
export const fieldOfCell = withSpec((value: StoredCell, spec: FieldSpec) =>
  quoteField(displayText(value, spec), spec.delimiter),
)

/** The text of a cell, for what looks it up; SQL knows it as `sheaf_display`. */
export const textOfCell = withSpec((value: StoredCell, display: Display) =>
  displayText(value, display),
)

/** Epoch seconds of the years 0 to 9999, whose dates SQLite writes as everybody does. */
const DATES = 'BETWEEN -62167219200 AND 253402300799'

/** SQL of the field of a cell. */
function fieldSql({ name: c, display, isComputed }: RowColumn, delimiter: string): string {
  const other = `sheaf_field(${c},${specSql({ ...display, delimiter })})`
  if (isComputed) return other
  switch (display.as) {
    case 'text': {
      const special = [delimiter, '"', '\n', '\r'].map((mark) => `instr(${c},${quoteText(mark)})`)
      return `CASE WHEN ${special.join(' OR ')} THEN '"'||replace(${c},'"','""')||'"' ELSE ${c} END`
    }
    case 'number':
      return display.style
        ? `iif(${c} IS NULL,'',${other})`
        : `iif(${c} IS NULL OR ${isPlainNumberSql(c)},${c},${other})`
    case 'bool':
      return `CASE WHEN ${c}=1 THEN 'true' WHEN ${c}=0 OR ${c} IS NULL THEN 'false' ELSE ${other} END`
    case 'date':
      return display.format === DATE_FORMAT
        ? `iif(typeof(${c})='integer' AND ${c} ${DATES},date(${c},'unixepoch'),iif(${c} IS NULL,'',${other}))`
        : `iif(${c} IS NULL,'',${other})`
    case 'reference':
      return /^\w+$/.test(display.table)
        ? `iif(typeof(${c})='integer',iif(${c}=0,'','${display.table}['||${c}||']'),${other})`
        : `iif(typeof(${c})='integer',${c},${other})`
    case 'int':
    case 'any':
      return `iif(typeof(${c})='integer' OR ${c} IS NULL,${c},${other})`
    default:
      return `iif(${c} IS NULL,'',${other})`
  }
}
