import type { Cell } from '../values/column-type'
import { listFromStored } from '../values/list-storage'
import { anyType } from '../values/column-types/any'

/*
 * What filters ask of text and of lists, as functions that SQL calls. A stored value that is not of the kind gives null,
 * or 0 where something is asked of it.
 */

/** Text in the form in which case is ignored. */
export function lowerText(text: string): string {
  return text.toLowerCase()
}

/** Text without its case. */
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

/** Whether a cell of a list column is a list with the item, which is given as JSON. */
export function listHas(value: unknown, item: unknown): number {
  return hasItem(listCell(value), item)
}

/** Whether a cell of an Any column is a list with the item, which is given as JSON. */
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
