import type { ColumnType, DocumentSettings } from '../values/column-type'
import type { ReadColumn } from '../values/error-cells'
import { isTimeZone } from '../values/dates/time-zone'
import { readNumberStyle, type NumberStyle } from './number-style'

/**
 * Display format of the cells of a column: plain data, passed by SQL to the functions of this folder as JSON.
 */
export type Display =
  | { readonly as: 'text' | 'int' | 'bool' | 'list' | 'any' }
  /** A list as JSON, for programs. */
  | { readonly as: 'listJson' }
  | { readonly as: 'number'; readonly style?: NumberStyle }
  | { readonly as: 'date'; readonly format: string }
  | { readonly as: 'dateTime'; readonly format: string; readonly zone: string }
  /** References to a table, whose name precedes the row id; with an empty name, plain row ids. */
  | { readonly as: 'reference' | 'references'; readonly table: string }

/** Column metadata that an export needs. */
export interface ExportedColumn extends ReadColumn {
  readonly ref: number
  readonly label: string
  readonly type: ColumnType
  readonly options: Readonly<Record<string, unknown>>
  readonly choices?: readonly string[]
  readonly hidden: boolean
  readonly visibleCol: number
  readonly displayCol: number
}

/** Table metadata that an export needs; columns are in position order. */
export interface ExportedTable {
  readonly tableId: string
  readonly columns: readonly ExportedColumn[]
}

/** Document metadata that an export needs. */
export interface ExportedDocument {
  readonly settings: DocumentSettings
  readonly tables: readonly ExportedTable[]
}

/** The column that holds the display text of a reference. */
export interface Lookup {
  readonly tableId: string
  readonly columnId: string
  readonly display: Display
}

/** A column with its display format. */
export interface ShownColumn extends ReadColumn {
  readonly label: string
  readonly type: ColumnType
  readonly options: Readonly<Record<string, unknown>>
  readonly choices?: readonly string[]
  readonly display: Display
  /** Set for references shown as a value of the referenced row. */
  readonly lookup?: Lookup
}

/** Default date format. */
export const DATE_FORMAT = 'YYYY-MM-DD'
/** Default time format. */
export const TIME_FORMAT = 'h:mma'

const MAX_FORMAT = 100

/** Returns the visible columns in order. */
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
  // A `decimals` option alone also selects a number style, but the default of whole numbers is no decimals.
  if (!readNumberStyle(options, locale)) return { as: 'int' }
  return { as: 'number', style: readNumberStyle({ decimals: 0, ...options }, locale) }
}

const makeDateTime: MakeDisplay = ({ options, type }, settings) => {
  const format = `${dateFormat(options)} ${timeFormat(options)}`.trim()
  return { as: 'dateTime', format, zone: zoneOf(type, settings) }
}

/** Display formats by column type; the remaining types are numeric. */
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

/** With a visible column but no display column, clients show plain row ids. */
function shownTable({ type, visibleCol }: ExportedColumn): string {
  return visibleCol === 0 ? (type.argument ?? '') : ''
}

/**
 * A reference with both a visible column and a display column is shown as the value of the visible column.
 */
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

function dateFormat(options: ExportedColumn['options']): string {
  return ownFormats(options).date ?? DATE_FORMAT
}

function timeFormat(options: ExportedColumn['options']): string {
  return ownFormats(options).time ?? TIME_FORMAT
}

/** The formats of dates and times that widget options specify. */
export function ownFormats({ dateFormat, timeFormat }: ExportedColumn['options']): {
  readonly date: string | undefined
  readonly time: string | undefined
} {
  return {
    date: isFormat(dateFormat) && dateFormat !== '' ? dateFormat : undefined,
    time: isFormat(timeFormat) ? timeFormat : undefined,
  }
}

/** Rejects overlong formats, which would be processed for every cell. */
function isFormat(format: unknown): format is string {
  return typeof format === 'string' && format.length <= MAX_FORMAT
}

function zoneOf({ argument }: ColumnType, { timezone }: DocumentSettings): string {
  if (argument !== undefined) return argument
  return isTimeZone(timezone) ? timezone : 'UTC'
}
