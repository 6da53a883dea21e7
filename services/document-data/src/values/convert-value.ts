import { AppError } from '@sheaf/kit/errors'
import type { Cell, ColumnContext, ColumnType, StoredValue } from './column-type'
import { isListType } from './column-types'
import { cellText } from './python-text'

const KEEP = { noParse: true }

/** Whether both types store every value in the same way. */
export function storesAlike(from: ColumnType, to: ColumnType): boolean {
  if (from.name === to.name) return true
  return isChoiceOrText(from) && isChoiceOrText(to)
}

/**
 * Returns the value to store when a column changes its type. Text is read as by a write that skips parsing;
 * values that do not fit are stored as text. Never throws.
 */
export function convertValue(
  value: StoredValue,
  from: ColumnType,
  to: ColumnType,
  context: ColumnContext,
): StoredValue {
  const cell = cellFor(from, to, from.fromStored(value))
  try {
    return to.toStored(cell, context, KEEP)
  } catch (error) {
    // Cells that clients cannot write, such as negative references.
    if (!(error instanceof AppError)) throw error
    return to.toStored(cellText(cell), context, KEEP)
  }
}

/** Converts a list of row ids of a removed table to text. */
export function idsText(value: StoredValue, from: ColumnType): StoredValue {
  const cell = from.fromStored(value)
  return Array.isArray(cell) ? cell.slice(1).join(', ') : cell === null ? null : cellText(cell)
}

function cellFor(from: ColumnType, to: ColumnType, cell: Cell): Cell {
  if (!Array.isArray(cell)) return cell
  // Clients expect choices as the text of a Python tuple, and rows as that of a list.
  if (from.name === 'ChoiceList' && !isListType(to) && to.name !== 'Any') return tupleText(cell)
  // The read-only codes, which an Any column may hold, are rejected by writes.
  if (cell[0] === 'R') return (cell[2] ?? 0) as Cell
  if (cell[0] === 'r') return Array.isArray(cell[2]) ? ['L', ...(cell[2] as unknown[])] : null
  return cell
}

function tupleText(list: readonly unknown[]): string {
  const items = cellText(list).slice(1, -1)
  return `(${items}${list.length === 2 ? ',' : ''})`
}

function isChoiceOrText({ name }: ColumnType): boolean {
  return name === 'Text' || name === 'Choice'
}
