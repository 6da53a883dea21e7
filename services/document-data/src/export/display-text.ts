import { TAG, untag } from '../values/tagged-text'
import { isTimeZone } from '../values/dates/time-zone'
import { dateText, dateTimeText } from './date-format'
import { DATE_FORMAT, type Display } from './display'
import { numberText } from './number-style'

/** The SQLite value of a cell. */
export type StoredCell = string | number | null

/** Separator of list items. */
const COMMA = ', '

/** Returns the display text of a stored cell. Text that does not match its column type is shown unchanged. */
export function displayText(value: StoredCell, display: Display, separator = COMMA): string {
  if (typeof value === 'number') return numberCellText(value, display)
  if (value === null) return display.as === 'bool' ? 'false' : ''
  if (display.as === 'any') return value.startsWith(TAG) ? anyText(untag(value)) : value
  return codedText(value, display, separator) ?? value
}

function numberCellText(value: number, display: Display): string {
  switch (display.as) {
    case 'number':
      return numberText(value, display.style)
    case 'bool':
      return value === 1 ? 'true' : value === 0 ? 'false' : String(value)
    case 'date':
      return dateText(value, display.format)
    case 'dateTime':
      return dateTimeText(value, display.format, display.zone)
    case 'reference':
      if (display.table === '') return String(value)
      return value === 0 ? '' : `${display.table}[${value}]`
    default:
      return numberText(value, undefined)
  }
}

/** Returns the display text of a list or tagged text in a list column; undefined for plain text. */
function codedText(stored: string, display: Display, separator: string): string | undefined {
  const show = listForms[display.as]
  if (!show) return undefined
  if (stored.startsWith('[')) return show(stored, display, separator)
  return stored.startsWith(TAG) ? anyText(untag(stored)) : undefined
}

type ShowList = (stored: string, display: Display, separator: string) => string

const items = (stored: string) => JSON.parse(stored) as unknown[]

const listForms: Readonly<Partial<Record<Display['as'], ShowList>>> = {
  listJson: (stored) => stored,
  list: (stored, _, separator) => listText(items(stored), separator),
  references: (stored, display, separator) =>
    referencesText(items(stored), 'table' in display ? display.table : '', separator),
}

/**
 * Joins list items. Items that contain a separator or a quote are quoted, to keep them unambiguous. Nested
 * lists are written as JSON, because nested quoting would double the quotes at each level.
 */
function listText(list: readonly unknown[], separator = COMMA): string {
  const needsQuotes = new RegExp(`[${separator.trim()}"\\n\\r]|^\\s|\\s$`)
  return list
    .map((item) => (Array.isArray(item) && item[0] === 'L' ? JSON.stringify(item) : anyText(item)))
    .map((text) => (needsQuotes.test(text) ? `"${text.replaceAll('"', '""')}"` : text))
    .join(separator)
}

function referencesText(ids: readonly unknown[], table: string, separator: string): string {
  return ids
    .map((id) => (table === '' ? partText(id) : `${table}[${partText(id)}]`))
    .join(separator)
}

/** Returns the display text of a decoded cell of any type. */
export function anyText(cell: unknown): string {
  if (typeof cell === 'string') return cell
  if (typeof cell === 'number') return numberText(cell, undefined)
  if (typeof cell === 'boolean') return String(cell)
  if (cell === null || cell === undefined) return ''
  return (Array.isArray(cell) && listCellText(cell)) || JSON.stringify(cell)
}

/** Returns the display text of a cell with a type code; undefined for a code without one. */
function listCellText(cell: readonly unknown[]): string | undefined {
  return codes.get(cell[0])?.(cell)
}

/** Returns the text of a part of a coded cell, which may be any JSON value. */
function partText(part: unknown): string {
  return typeof part === 'string' ? part : (JSON.stringify(part) ?? '')
}

type CodedText = (cell: readonly unknown[]) => string | undefined

const codes = new Map<unknown, CodedText>([
  ['L', (cell) => listText(cell.slice(1))],
  ['d', ([, at]) => (typeof at === 'number' ? dateText(at, DATE_FORMAT) : undefined)],
  ['D', ([, at, zone]) => (typeof at === 'number' ? instantText(at, zone) : undefined)],
  ['R', ([, table, id]) => `${partText(table)}[${partText(id)}]`],
  [
    'r',
    ([, table, ids]) =>
      Array.isArray(ids) ? `${partText(table)}[${JSON.stringify(ids)}]` : undefined,
  ],
  ['E', ([, name]) => (name === 'ZeroDivisionError' ? '#DIV/0!' : `#${partText(name)}`)],
  ['U', ([, text]) => (typeof text === 'string' ? text : undefined)],
  ['O', ([, object]) => spacedJson(object)],
])

/** JSON with a space after commas and colons. */
function spacedJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(spacedJson).join(COMMA)}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const members = Object.entries(value).map(
    ([name, item]) => `${JSON.stringify(name)}: ${spacedJson(item)}`,
  )
  return `{${members.join(COMMA)}}`
}

function instantText(seconds: number, zone: unknown): string {
  const known = typeof zone === 'string' && isTimeZone(zone) ? zone : 'UTC'
  return dateTimeText(seconds, `${DATE_FORMAT} HH:mm:ssZ`, known)
}
