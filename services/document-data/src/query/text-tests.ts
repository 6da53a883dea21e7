import type { Cell } from '../values/column-type'
import { listFromStored } from '../values/list-storage'
import { anyType } from '../values/column-types/any'

/*
 * SQL functions for filters on text and lists. For a stored value of another kind, functions that return text
 * give null and predicates give 0.
 */

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

/** Text of a cell in a list column. */
export function listText(value: unknown): string | null {
  return textOrNull(listCell(value))
}

/** Text of a cell in an Any column. */
export function anyText(value: unknown): string | null {
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
