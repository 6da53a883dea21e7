import type { StoredValue } from '../values/column-type'
import { storedListText } from '../values/list-storage'
import { storedNumber } from '../values/numbers/number-storage'
import { TAG, tag } from '../values/tagged-text'
import type { StoredColumnForm } from './copy-metadata'
import { badFile, requireCellSize, type Place } from './import-errors'
import { importLimits } from './import-limits'

/**
 * A value of another file as it may be stored in a column: embedded JSON is valid, numbers are finite. Values
 * of a document are unchanged. Throws `invalid` for bytes, and `too_large` for a text that exceeds the limit
 * of a cell.
 */
export function soundValue(value: unknown, column: StoredColumnForm, place: Place): StoredValue {
  switch (typeof value) {
    case 'bigint':
      return column.type.storage === 'text' ? String(value) : storedNumber(Number(value))
    case 'number':
      return column.type.storage === 'text' ? String(value) : storedNumber(value)
    case 'string':
      requireCellSize(value.length, place)
      return soundText(value, column)
    default:
      if (value === null) return null
      throw badFile('a cell contains binary data, which is not allowed in a Sheaf document', place)
  }
}

function soundText(text: string, { type }: StoredColumnForm): StoredValue {
  switch (type.storage) {
    case 'text':
      return text
    case 'number':
      // Positions have no text form, and comparisons do not read one.
      return type.name === 'ManualSortPos' || type.name === 'PositionNumber' ? null : text
    case 'list':
      return isSoundList(text) ? text : storedListText(text)
    case 'any':
      return isSoundTag(text) ? text : tag(text)
  }
}

function isSoundList(text: string): boolean {
  return text.startsWith('[') ? isFlatList(text) : isSoundTag(text)
}

function isSoundTag(text: string): boolean {
  return !text.startsWith(TAG) || isSoundJson(text.slice(1))
}

function isFlatList(text: string): boolean {
  const list = readJson(text)
  return Array.isArray(list) && list.every((item) => typeof item !== 'object' || item === null)
}

function isSoundJson(text: string): boolean {
  const value = readJson(text)
  return value !== undefined && isShallow(value, importLimits.depth)
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}

function isShallow(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return true
  return depth > 0 && Object.values(value).every((item) => isShallow(item, depth - 1))
}
