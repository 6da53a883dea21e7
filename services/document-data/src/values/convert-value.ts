import { AppError } from '@sheaf/kit/errors'
import type { Cell, ColumnContext, ColumnType, StoredValue } from './column-type'
import { isListType } from './column-types'
import { cellText } from './python-text'

const KEEP = { noParse: true }

/** True when every value that is stored for one type is stored in the same way for the other. */
export function storesAlike(from: ColumnType, to: ColumnType): boolean {
  if (from.name === to.name) return true
  return isChoiceOrText(from) && isChoiceOrText(to)
}

/**
 * Value to store when a column changes its type. Texts are read as by a write that leaves out parsing; what does not fit
 * stays as text. Never throws.
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
    // Cells that no client may write, such as references below 0.
    if (!(error instanceof AppError)) throw error
    return to.toStored(cellText(cell), context, KEEP)
  }
}

/** What becomes of a list of row ids whose table goes away: the ids as text. */
export function idsText(value: StoredValue, from: ColumnType): StoredValue {
  const cell = from.fromStored(value)
  return Array.isArray(cell) ? cell.slice(1).join(', ') : cell === null ? null : cellText(cell)
}

function cellFor(from: ColumnType, to: ColumnType, cell: Cell): Cell {
  if (!Array.isArray(cell)) return cell
  // Clients know the choices of a cell as a tuple of Python, a list of rows as a list.
  if (from.name === 'ChoiceList' && !isListType(to) && to.name !== 'Any') return tupleText(cell)
  // The codes for reading, which an Any column may hold, are refused in writing.
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
