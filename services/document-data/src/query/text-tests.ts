import { anyText } from '../export/display-text'
import type { Cell } from '../values/column-type'
import { zoneOffset } from '../values/dates/time-zone'
import { numberJson } from '../values/numbers/number-storage'
import { listFromStored } from '../values/list-storage'
import { anyType } from '../values/column-types/any'

/*
 * SQL functions for filters on text and lists. For a stored value of another kind, functions that return text
 * give null and predicates give 0.
 */

/** The years 0 to 9999, in epoch seconds. */
const MIN_LOCAL = Date.parse('0000-01-01T00:00Z') / 1000
const MAX_LOCAL = Date.parse('+010000-01-01T00:00Z') / 1000

/** Lower-cases text for case-insensitive comparison. */
export function lowerText(text: string): string {
  return text.toLowerCase()
}

/** Case-insensitive form of text; null for other values. */
export function lower(value: unknown): string | null {
  return typeof value === 'string' ? lowerText(value) : null
}

/** Whether text ends with other text. */
export function endsWith(value: unknown, part: unknown): number {
  return typeof value === 'string' && typeof part === 'string' && value.endsWith(part) ? 1 : 0
}

/**
 * SQL of the case-insensitive form of a column of text. `sheaf_lower` is called only for text that is not all ASCII: for
 * other text, plain SQLite gives the same ten times as fast.
 */
export function lowerSql(column: string): string {
  return `iif(octet_length(${column})<>length(${column}),sheaf_lower(${column}),lower(${column}))`
}

/** SQL condition: text contains the text that is bound to its parameter. */
export function containsSql(text: string): string {
  // Unlike substr, instr does not stop at NUL.
  return `instr(${text},?)>0`
}

/** Text of a cell in a list column. */
export function listText(value: unknown): string | null {
  return textOrNull(listCell(value))
}

/** Text of a cell in an Any column. */
export function textOfAny(value: unknown): string | null {
  return textOrNull(anyCell(value))
}

/** Whether a cell of a list column is a list that contains the item, given as JSON. */
export function listHas(value: unknown, item: unknown): number {
  return hasItem(listCell(value), item)
}

/** Whether a cell of an Any column is a list that contains the item, given as JSON. */
export function anyHas(value: unknown, item: unknown): number {
  return hasItem(anyCell(value), item)
}

function listCell(value: unknown): Cell {
  return typeof value === 'string' ? listFromStored(value) : null
}

function anyCell(value: unknown): Cell {
  return typeof value === 'string' ? anyType.fromStored(value) : null
}

function textOrNull(cell: Cell): string | null {
  return typeof cell === 'string' ? cell : null
}

function hasItem(cell: Cell, item: unknown): number {
  if (!Array.isArray(cell) || cell[0] !== 'L') return 0
  return cell.some((held, i) => i > 0 && JSON.stringify(held) === item) ? 1 : 0
}

/** Whether an item of a list column, or its text, contains lower-case text, ignoring case. */
export function listFinds(value: unknown, part: unknown): number {
  return finds(listCell(value), part)
}

/** The same for a cell of an Any column. */
export function anyFinds(value: unknown, part: unknown): number {
  return finds(anyCell(value), part)
}

function finds(cell: Cell, part: unknown): number {
  return textsOf(cell).some((text) => lowerText(text).includes(String(part))) ? 1 : 0
}

/** The texts of a decoded cell that a search finds: one for each item of a list. */
function textsOf(cell: unknown): readonly string[] {
  if (typeof cell === 'number') return [numberJson(cell)]
  if (typeof cell === 'string') return [cell]
  return Array.isArray(cell) ? textsOfCoded(cell) : []
}

function textsOfCoded(cell: readonly unknown[]): readonly string[] {
  const [code, value, zone] = cell
  switch (code) {
    case 'L':
      return cell.slice(1).flatMap(textsOf)
    case 'E':
    case 'P':
      return []
    case 'd':
      return [localDate(value, 'UTC') ?? '']
    case 'D':
      return [localTime(value, zone) ?? '']
    default:
      return [anyText(cell)]
  }
}

/** Epoch seconds as a date, `2024-03-01`, in a zone; null for other values, and outside of the years 0 to 9999. */
export function localDate(value: unknown, zone: unknown): string | null {
  return localIso(value, zone)?.slice(0, 10) ?? null
}

/** The same with the time, `2024-03-01 14:30:00`. */
export function localTime(value: unknown, zone: unknown): string | null {
  return localIso(value, zone)?.slice(0, 19).replace('T', ' ') ?? null
}

function localIso(value: unknown, zone: unknown): string | undefined {
  if (typeof value !== 'number') return undefined
  const local = Math.floor(value + (typeof zone === 'string' ? zoneOffset(zone, value) : 0))
  if (!(local >= MIN_LOCAL && local < MAX_LOCAL)) return undefined
  return new Date(local * 1000).toISOString()
}
