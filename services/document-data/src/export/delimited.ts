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

/** Plan of an export as delimited text: plain data that can be sent to a worker thread. */
export interface DelimitedPlan {
  readonly export: 'delimited'
  /** The header line. */
  readonly head: string
  readonly rows: RowSource
  /** SQL of a line, using the names of the row values, as expressions to concatenate. */
  readonly line: readonly string[]
}

/** Contents of the header line. */
export type HeaderStyle = 'label' | 'colId'

/** Supported delimiters. */
export const delimiters: readonly string[] = [',', '\t', ';', '|', '\u{1F4A9}']

/** Format of the text. */
export interface DelimitedForm {
  readonly delimiter: string
  readonly header: HeaderStyle
  /** True to begin each line with the row id. */
  readonly rowIds: boolean
  /**
   * True for the format that `describeTable` describes: choice lists as JSON, date and time parts with two
   * digits.
   */
  readonly standard: boolean
}

/** Column names for the header line. */
export function headsOf(
  columns: readonly { id: string; label: string }[],
  style: HeaderStyle,
): string[] {
  return columns.map(({ id, label }) => (style === 'label' ? label : id))
}

/**
 * Plans the export of a table as delimited text by RFC 4180, but with `\n` line endings. SQLite formats the
 * lines; cells that it cannot format exactly, such as dates with a custom format, go through an SQL function.
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

/** Returns the column in the format described to readers of the Table Schema standard. */
export function toStandard(column: ShownColumn): ShownColumn {
  const { display } = column
  if (display.as === 'list') return { ...column, display: { as: 'listJson' } }
  if (display.as !== 'date' && display.as !== 'dateTime') return column
  return { ...column, display: { ...display, format: padFormat(display.format) } }
}

/** Quotes a field where necessary. */
function quoteField(text: string, delimiter: string): string {
  const needsQuotes =
    text.includes(delimiter) || text.includes('"') || text.includes('\n') || text.includes('\r')
  return needsQuotes ? `"${text.replaceAll('"', '""')}"` : text
}

type FieldSpec = Display & { readonly delimiter: string }

/** Formats a cell as a field; registered with SQLite as `sheaf_field`. */
export const fieldOfCell = withSpec((value: StoredCell, spec: FieldSpec) =>
  quoteField(displayText(value, spec), spec.delimiter),
)

/** Formats a cell as text for lookups; registered with SQLite as `sheaf_display`. */
export const textOfCell = withSpec((value: StoredCell, display: Display) =>
  displayText(value, display),
)

/** Epoch seconds of the years 0 to 9999, for which SQLite formats dates in the usual way. */
const DATES = 'BETWEEN -62167219200 AND 253402300799'

/** SQL of a cell formatted as a field. */
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
