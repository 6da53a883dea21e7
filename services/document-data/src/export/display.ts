import type { ColumnType, DocumentSettings } from '../values/column-type'
import { isTimeZone } from '../values/dates/time-zone'
import { readNumberStyle, type NumberStyle } from './number-style'

/** How the cells of a column are shown to people: plain values, which SQL hands to the functions of this folder as JSON. */
export type Display =
  | { readonly as: 'text' | 'int' | 'bool' | 'list' | 'any' }
  /** A list as JSON, for programs. */
  | { readonly as: 'listJson' }
  | { readonly as: 'number'; readonly style?: NumberStyle }
  | { readonly as: 'date'; readonly format: string }
  | { readonly as: 'dateTime'; readonly format: string; readonly zone: string }
  /** Of the rows of a table, whose name stands before the row id; of bare row ids when it is empty. */
  | { readonly as: 'reference' | 'references'; readonly table: string }

/** What an export has to know of a column. */
export interface ExportedColumn {
  readonly ref: number
  readonly id: string
  readonly label: string
  readonly type: ColumnType
  readonly options: Readonly<Record<string, unknown>>
  readonly choices?: readonly string[]
  readonly hidden: boolean
  readonly visibleCol: number
  readonly displayCol: number
}

/** What an export has to know of a table: its columns by position. */
export interface ExportedTable {
  readonly tableId: string
  readonly columns: readonly ExportedColumn[]
}

/** What an export has to know of a document. */
export interface ExportedDocument {
  readonly settings: DocumentSettings
  readonly tables: readonly ExportedTable[]
}

/** Where the text of a reference stands. */
export interface Lookup {
  readonly tableId: string
  readonly columnId: string
  readonly display: Display
}

/** A column with the way its cells are shown. */
export interface ShownColumn {
  readonly id: string
  readonly label: string
  readonly type: ColumnType
  readonly options: Readonly<Record<string, unknown>>
  readonly choices?: readonly string[]
  readonly display: Display
  /** For references that are shown as a value of the row that they name. */
  readonly lookup?: Lookup
}

/** The form in which dates are shown unless the column says otherwise. */
export const DATE_FORMAT = 'YYYY-MM-DD'
/** The form of times of day unless the column says otherwise. */
export const TIME_FORMAT = 'h:mma'

const MAX_FORMAT = 100

/** The columns that people see, in their order. */
export function showColumns(document: ExportedDocument, table: ExportedTable): ShownColumn[] {
  return table.columns
    .filter(({ hidden }) => !hidden)
    .map((column) => ({
      ...column,
      display: displayOf(document, column),
      ...lookupOf(document, column),
    }))
}

type MakeDisplay = (column: ExportedColumn, settings: DocumentSettings) => Display

const makeText: MakeDisplay = () => ({ as: 'text' })

const makeInt: MakeDisplay = ({ options }, { locale }) => {
  // What is said of decimals alone counts too, but whole numbers have none by themselves.
  if (!readNumberStyle(options, locale)) return { as: 'int' }
  return { as: 'number', style: readNumberStyle({ decimals: 0, ...options }, locale) }
}

const makeDateTime: MakeDisplay = ({ options, type }, settings) => {
  const format = `${dateFormat(options)} ${timeFormat(options)}`.trim()
  return { as: 'dateTime', format, zone: zoneOf(type, settings) }
}

/** By column type; all others hold numbers. */
const displays: Readonly<Partial<Record<string, MakeDisplay>>> = {
  Text: makeText,
  Choice: makeText,
  Int: makeInt,
  Bool: () => ({ as: 'bool' }),
  Date: ({ options }) => ({ as: 'date', format: dateFormat(options) }),
  DateTime: makeDateTime,
  ChoiceList: () => ({ as: 'list' }),
  Ref: (column) => ({ as: 'reference', table: shownTable(column) }),
  RefList: (column) => ({ as: 'references', table: shownTable(column) }),
  Attachments: () => ({ as: 'references', table: '' }),
  Any: () => ({ as: 'any' }),
}

const makeNumber: MakeDisplay = ({ options }, { locale }) => ({
  as: 'number',
  style: readNumberStyle(options, locale),
})

function displayOf({ settings }: ExportedDocument, column: ExportedColumn): Display {
  return (displays[column.type.name] ?? makeNumber)(column, settings)
}

/** With a visible column but no column that displays it, clients see bare row ids. */
function shownTable({ type, visibleCol }: ExportedColumn): string {
  return visibleCol === 0 ? (type.argument ?? '') : ''
}

/** A reference that has both a visible column and a column for its display is shown as what the visible column holds. */
function lookupOf(
  { settings, tables }: ExportedDocument,
  { type, visibleCol, displayCol }: ExportedColumn,
): { lookup?: Lookup } {
  if (visibleCol === 0 || displayCol === 0) return {}
  if (type.name !== 'Ref' && type.name !== 'RefList') return {}
  const table = tables.find(({ tableId }) => tableId === type.argument)
  const column = table?.columns.find(({ ref }) => ref === visibleCol)
  if (!table || !column) return {}
  const display = displayOf({ settings, tables }, column)
  return { lookup: { tableId: table.tableId, columnId: column.id, display } }
}

function dateFormat({ dateFormat: format }: ExportedColumn['options']): string {
  return isFormat(format) && format !== '' ? format : DATE_FORMAT
}

function timeFormat({ timeFormat: format }: ExportedColumn['options']): string {
  return isFormat(format) ? format : TIME_FORMAT
}

/** What is longer is no format, and would be gone through for every cell. */
function isFormat(format: unknown): format is string {
  return typeof format === 'string' && format.length <= MAX_FORMAT
}

function zoneOf({ argument }: ColumnType, { timezone }: DocumentSettings): string {
  if (argument !== undefined) return argument
  return isTimeZone(timezone) ? timezone : 'UTC'
}
