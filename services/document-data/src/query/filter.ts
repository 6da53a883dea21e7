import { AppError } from '@sheaf/kit/errors'
import { isTooDeep, readJson } from '../bodies/read-json'
import type { Cell, StoredValue } from '../values/column-type'
import { storedNumber } from '../values/number-storage'
import { tag, tagAnyText, tagListText } from '../values/tagged-text'
import { quoteId } from './quote'
import { findColumn } from './table-shape'
import type { TableShape } from './table-shape'

/** Allowed values by column id; a row must have one of them in every column. */
export type Filter = ReadonlyMap<string, readonly Cell[]>

/** An SQL condition and its bound values. */
export interface Condition {
  sql: string
  params: StoredValue[]
}

/** From here on values travel as one JSON text: SQLite has a limit of placeholders, and each text is its own plan. */
const MANY = 50

/**
 * Reads `{"column": [value, …], …}`; empty text, `{}` and `[]` filter nothing. Throws AppError `invalid`:
 * MALFORMED_JSON, INVALID_FILTER for another form, UNKNOWN_COLUMN naming the column.
 */
export function parseFilter(json: string | Uint8Array, table: TableShape): Filter {
  const filter = new Map<string, readonly Cell[]>()
  if (json.length === 0) return filter
  const value = readJson(json, 'filter')
  if (Array.isArray(value) && value.length === 0) return filter
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw invalidFilter('Invalid query: filter must be an object')
  }
  for (const [column, values] of Object.entries(value) as [string, unknown][]) {
    if (!Array.isArray(values)) throw invalidFilter('Invalid query: filter values must be arrays')
    if (isTooDeep(values)) throw invalidFilter('Invalid query: filter is nested too deeply')
    if (column !== 'id' && !findColumn(table, column)) throw unknownColumn(column)
    filter.set(column, values as Cell[])
  }
  return filter
}

function invalidFilter(message: string): AppError {
  return new AppError('invalid', 'INVALID_FILTER', message)
}

function unknownColumn(column: string): AppError {
  const shown = column.length > 100 ? `${column.slice(0, 100)}…` : column
  const message = `Invalid query: unknown column "${shown}"`
  return new AppError('invalid', 'UNKNOWN_COLUMN', message, { column: shown })
}

/**
 * What the filter asks of each column: stored values as they are, with nothing parsed; numbers, text and null are never
 * equal to one another, true and 1 are; lists equal nothing. `prefix` goes before each column (`t.` or nothing). An
 * index on the column serves its condition.
 */
export function columnConditions(
  table: TableShape,
  filter: Filter,
  prefix: string,
): ReadonlyMap<string, Condition> {
  return new Map(
    [...filter].map(([column, values]) => {
      const stored = storedCandidates(table, column, values)
      return [column, candidatesCondition(prefix + quoteId(column), stored)]
    }),
  )
}

/** All of the conditions as one; `1` when there are none. */
export function allConditions(conditions: ReadonlyMap<string, Condition>): Condition {
  if (conditions.size === 0) return { sql: '1', params: [] }
  const all = [...conditions.values()]
  return {
    sql: all.map(({ sql }) => `(${sql})`).join(' AND '),
    params: all.flatMap(({ params }) => params),
  }
}

/** Stored values that equal one of the cells. */
function storedCandidates(
  table: TableShape,
  column: string,
  cells: readonly Cell[],
): ReadonlySet<StoredValue> {
  const storage = column === 'id' ? 'id' : (findColumn(table, column)?.type.storage ?? 'any')
  const found = new Set<StoredValue>()
  for (const cell of cells) for (const value of candidatesOf(cell, storage)) found.add(value)
  return found
}

/**
 * Text columns have TEXT affinity, and the row id INTEGER: SQLite would find the text "10" for the number 10 and the
 * row 1 for the text "1". So what such a column cannot hold is left out.
 */
function candidatesOf(
  cell: Cell,
  storage: 'id' | 'text' | 'number' | 'list' | 'any',
): StoredValue[] {
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

function numberCandidates(value: number, storage: string): StoredValue[] {
  if (storage === 'text' || storage === 'list' || !Number.isFinite(value)) return []
  if (storage === 'id') return Number.isSafeInteger(value) ? [BigInt(value)] : []
  const number = storedNumber(value)
  return storage === 'any' && (value === 0 || value === 1) ? [number, tag(value === 1)] : [number]
}

function candidatesCondition(column: string, candidates: ReadonlySet<StoredValue>): Condition {
  const values = [...candidates].filter((value) => value !== null)
  const isNull = candidates.has(null) ? `${column} IS NULL` : undefined
  if (values.length === 0) return { sql: isNull ?? '0', params: [] }
  const many = values.length > MANY
  const list = many ? 'SELECT value FROM json_each(?)' : values.map(() => '?').join(',')
  const params = many
    ? [JSON.stringify(values.map((v) => (typeof v === 'bigint' ? Number(v) : v)))]
    : values
  const isIn = values.length === 1 ? `${column}=?` : `${column} IN (${list})`
  return { sql: isNull ? `${isIn} OR ${isNull}` : isIn, params }
}
