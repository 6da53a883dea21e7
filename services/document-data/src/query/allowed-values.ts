import type { Cell, StoredValue } from '../values/column-type'
import { storedNumber } from '../values/numbers/number-storage'
import { tag, tagAnyText, tagListText } from '../values/tagged-text'
import { findColumn } from './table-shape'
import type { TableShape } from './table-shape'

/** An SQL condition and its bound values. */
export interface Condition {
  sql: string
  params: StoredValue[]
  /** True if an index on the column cannot be used. */
  needsScan?: boolean
}

/** Storage class of a column; the row id has its own. */
export type ColumnStorage = 'id' | 'text' | 'number' | 'list' | 'any'

/**
 * From this number on, values are bound as one JSON text: SQLite limits placeholders, and each number of them
 * is a separate statement to prepare.
 */
const MANY = 50

/** Returns the storage class of an existing column. */
export function storageOf(table: TableShape, column: string): ColumnStorage {
  return column === 'id' ? 'id' : (findColumn(table, column)?.type.storage ?? 'any')
}

/** Returns the stored values that equal one of the cells. */
export function storedCandidates(
  cells: readonly Cell[],
  storage: ColumnStorage,
): ReadonlySet<StoredValue> {
  const found = new Set<StoredValue>()
  for (const cell of cells) for (const value of candidatesOf(cell, storage)) found.add(value)
  return found
}

/**
 * Text columns have TEXT affinity and the row id INTEGER, so SQLite would match text "10" with the number 10
 * and row 1 with the text "1". Values that the column cannot hold are therefore omitted.
 */
function candidatesOf(cell: Cell, storage: ColumnStorage): StoredValue[] {
  switch (typeof cell) {
    case 'string':
      if (storage === 'id') return []
      return [storage === 'list' ? tagListText(cell) : storage === 'any' ? tagAnyText(cell) : cell]
    case 'boolean':
      return numberCandidates(cell ? 1 : 0, storage)
    case 'number':
      return numberCandidates(cell, storage)
    default:
      if (cell === null) return storage === 'id' ? [] : [null]
      return storage === 'any' ? [tag(cell)] : []
  }
}

function numberCandidates(value: number, storage: ColumnStorage): StoredValue[] {
  if (storage === 'text' || storage === 'list' || !Number.isFinite(value)) return []
  if (storage === 'id') return Number.isSafeInteger(value) ? [BigInt(value)] : []
  const number = storedNumber(value)
  return storage === 'any' && (value === 0 || value === 1) ? [number, tag(value === 1)] : [number]
}

/** Returns the condition that an expression equals one of the values. */
export function candidatesCondition(
  expression: string,
  candidates: ReadonlySet<StoredValue>,
): Condition {
  const values = [...candidates].filter((value) => value !== null)
  const isNull = candidates.has(null) ? `${expression} IS NULL` : undefined
  if (values.length === 0) return { sql: isNull ?? '0', params: [] }
  const many = values.length > MANY
  const list = many ? 'SELECT value FROM json_each(?)' : values.map(() => '?').join(',')
  const params = many
    ? [JSON.stringify(values.map((v) => (typeof v === 'bigint' ? Number(v) : v)))]
    : values
  const isIn = values.length === 1 ? `${expression}=?` : `${expression} IN (${list})`
  return { sql: isNull ? `${isIn} OR ${isNull}` : isIn, params }
}
