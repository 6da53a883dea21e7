import { AppError } from '@sheaf/kit/errors'
import type { Cell, ColumnType, StoredValue } from '../../values/column-type'
import { readJsonList } from '../../values/list-storage'
import { storedNumber } from '../../values/numbers/number-storage'
import { cellText } from '../../values/python-text'
import { TAG, tag, tagAnyText, tagListText } from '../../values/tagged-text'
import { badFile, requireCellSize, tooMuch, type Place } from '../import-errors'
import { importLimits } from '../import-limits'
import { MarshalDict, MarshalError, readMarshal, type MarshalValue } from './marshal'

/** A column that cells of a Grist document are stored in. */
export interface CellColumn {
  readonly type: ColumnType
  /** True for a column with a formula, whose cells may be errors. */
  readonly holdsErrors: boolean
}

/** Codes of cells that a column of type Any may contain. */
const anyCodes = new Set(['L', 'd', 'D', 'R', 'r', 'O', 'U'])
/** Text is kept as it is. */
const KEEP = { noParse: true }

/**
 * The cell, in the form of the API, that a Grist document stores as this value of SQLite: bytes hold a marshalled
 * value. Throws `invalid` for other bytes, and `too_large` for a value larger than a cell may be.
 */
export function gristCell(value: unknown, place: Place): Cell {
  if (Buffer.isBuffer(value)) return plainCell(unmarshal(value, place))
  if (typeof value === 'bigint') return Number(value)
  if (typeof value === 'string') requireCellSize(value.length, place)
  return value as Cell
}

function unmarshal(bytes: Buffer, place: Place): MarshalValue {
  requireCellSize(bytes.length, place)
  try {
    return readMarshal(bytes, { depth: importLimits.depth, size: importLimits.cellChars })
  } catch (error) {
    if (!(error instanceof MarshalError)) throw error
    const problem = `a cell cannot be read: ${error.message}`
    throw /too (?:large|deep)/.test(error.message)
      ? tooMuch(problem, place)
      : badFile(problem, place)
  }
}

function plainCell(value: MarshalValue): Cell {
  const plain = toJson(value)
  if (typeof plain !== 'object' || plain === null) return plain as Cell
  if (!Array.isArray(plain)) return ['O', plain]
  return typeof plain[0] === 'string' ? (plain as unknown[]) : ['L', ...(plain as unknown[])]
}

/** A value as JSON has it; numbers that are not finite become null. */
function toJson(value: MarshalValue): unknown {
  if (typeof value === 'bigint') return Number(value)
  if (typeof value === 'number') return Number.isFinite(value) ? value : null
  if (Buffer.isBuffer(value)) return value.toString('utf8')
  if (Array.isArray(value)) return value.map(toJson)
  if (!(value instanceof MarshalDict)) return value
  // Without a prototype, so that any name is a key.
  const entries = Object.create(null) as Record<string, unknown>
  for (const [key, item] of value.entries)
    entries[typeof key === 'string' ? key : cellText(toJson(key))] = toJson(item)
  return entries
}

/** True for a cell that was not computed yet. */
export function isPendingCell(cell: Cell): boolean {
  return Array.isArray(cell) && cell[0] === 'P'
}

/**
 * The stored form of a cell of a Grist document. It reads as it does there: text that does not fit its type stays
 * text. Throws `too_large` for a value larger than a cell may be.
 */
export function storedGristCell(cell: Cell, column: CellColumn, place: Place): StoredValue {
  const stored = storedForm(cell, column)
  if (typeof stored === 'string') requireCellSize(stored.length, place)
  return stored
}

function storedForm(cell: Cell, { type, holdsErrors }: CellColumn): StoredValue {
  if (typeof cell === 'string') return storedText(cell, { type, holdsErrors })
  if (!Array.isArray(cell)) return storedPlain(cell, type)
  const [code, ...args] = cell
  if (code === 'E') {
    const name = typeof args[0] === 'string' ? args[0] : 'Error'
    if (!holdsErrors && type.storage !== 'any') return errorText(name)
    return tag(['E', name, typeof args[1] === 'string' ? args[1] : ''])
  }
  if (code === 'P' || code === 'C') return type.toStored(null, noContext, KEEP)
  if (type.storage === 'any' && !anyCodes.has(String(code))) return tag(['U', cellText(cell)])
  return fitted(cell, type)
}

/** As in a CSV file. */
function errorText(name: string): string {
  return name === 'ZeroDivisionError' ? '#DIV/0!' : `#${name}`
}

const noContext = { settings: { timezone: 'UTC', locale: 'en-US' }, widgetOptions: {} }

function storedPlain(cell: null | boolean | number, type: ColumnType): StoredValue {
  const isNumber = typeof cell === 'number' && type.storage === 'number' && type.name !== 'Bool'
  return isNumber ? storedNumber(cell) : fitted(cell, type)
}

function fitted(cell: Cell, type: ColumnType): StoredValue {
  try {
    return type.toStored(cell, noContext, KEEP)
  } catch (error) {
    // Cells that clients cannot write, such as negative references.
    if (!(error instanceof AppError)) throw error
    return storedText(cellText(cell), { type, holdsErrors: false })
  }
}

function withoutTags(text: string): string {
  let start = 0
  while (text[start] === TAG) start++
  return text.slice(start)
}

function storedText(text: string, { type, holdsErrors }: CellColumn): StoredValue {
  // It would read as an error.
  const own = holdsErrors && type.storage !== 'any' ? withoutTags(text) : text
  switch (type.storage) {
    case 'text':
    case 'number':
      return own
    case 'list': {
      const list = readJsonList(own)
      const isFlat = list?.every((item) => typeof item !== 'object' || item === null)
      return isFlat && own.startsWith('[') ? JSON.stringify(list) : tagListText(own)
    }
    case 'any':
      return tagAnyText(own)
  }
}
