import type { Cell, StoredValue } from '../values/column-type'
import { storedNumber } from '../values/numbers/number-storage'
import { tag, tagAnyText, tagListText } from '../values/tagged-text'
import { findColumn } from './table-shape'
import type { TableShape } from './table-shape'

/** An SQL condition and its bound values. */
export interface Condition {
  sql: string
  params: StoredValue[]
  /** True when an index on the column cannot serve it. */
  needsScan?: boolean
}

/** Kind of a column's storage; the row id is one of its own. */
export type ColumnStorage = 'id' | 'text' | 'number' | 'list' | 'any'

/** From here on values travel as one JSON text: SQLite has a limit of placeholders, and each text is its own plan. */
const MANY = 50

/** The storage of a column that is known to be there. */
export function storageOf(table: TableShape, column: string): ColumnStorage {
  return column === 'id' ? 'id' : (findColumn(table, column)?.type.storage ?? 'any')
}

/** Stored values that equal one of the cells. */
export function storedCandidates(
  cells: readonly Cell[],
  storage: ColumnStorage,
): ReadonlySet<StoredValue> {
  const found = new Set<StoredValue>()
  for (const cell of cells) for (const value of candidatesOf(cell, storage)) found.add(value)
  return found
}

/**
 * Text columns have TEXT affinity, and the row id INTEGER: SQLite would find the text "10" for the number 10 and the
 * row 1 for the text "1". So what such a column cannot hold is left out.
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
      return cell === null && storage !== 'id' ? [null] : []
  }
}

function numberCandidates(value: number, storage: ColumnStorage): StoredValue[] {
  if (storage === 'text' || storage === 'list' || !Number.isFinite(value)) return []
  if (storage === 'id') return Number.isSafeInteger(value) ? [BigInt(value)] : []
  const number = storedNumber(value)
  return storage === 'any' && (value === 0 || value === 1) ? [number, tag(value === 1)] : [number]
}

/** The condition that an expression has one of the values. */
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
