import { quoteId } from '../../quoting/quote'
import type { LogValue } from '../../store/log/log'
import type { Schema } from '../../store/schema/schema'
import type { Connection } from '../../store/sqlite/connections'
import { columnsOf, type ColumnOfTable } from './formula-columns'
import type { LookupUser } from './dependencies'
import type { Lookup } from './relations'

/** Values of cells that differ from the stored ones, by column ref and row id. */
export type OtherValues = ReadonlyMap<number, ReadonlyMap<number, LogValue>>

/** Most keys of one row: a row of several `contains` columns has as many as the product of its lists. */
const MAX_KEYS = 10_000

/**
 * The key texts under which a lookup finds rows: the stored values of the key columns as a JSON list. `others` replace
 * stored values; rows that neither exist nor are in `others` have no key.
 */
export function keysOfRows(
  connection: Connection,
  schema: Schema,
  { lookup, rowIds, others }: { lookup: Lookup; rowIds: readonly number[]; others: OtherValues },
): Set<string> {
  const { byRef } = columnsOf(schema)
  const columns = lookup.keys.map((ref) => byRef.get(ref))
  const table = schema.findByRef(lookup.tableRef)
  const keys = new Set<string>()
  if (!table || columns.some((of) => of?.table !== table)) return keys
  const found = columns as ColumnOfTable[]
  // A column that is no list, or none any more, has no items, even if its text looks like a list.
  const isContained = lookup.contains.map(
    (contains, i) => contains && found[i]?.column.type.storage === 'list',
  )
  const names = ['id', ...found.map(({ column }) => column.id)].map(quoteId).join(', ')
  const stored = new Map(
    connection
      .raw<[number, ...LogValue[]]>(
        `SELECT ${names} FROM ${quoteId(table.tableId)} WHERE id IN (SELECT value FROM json_each(?))`,
      )
      .all(JSON.stringify(rowIds))
      .map(([id, ...values]) => [id, values]),
  )
  for (const id of rowIds) {
    const row = stored.get(id)
    const isKnown = lookup.keys.every((ref) => row !== undefined || others.get(ref)?.has(id))
    if (!isKnown) continue
    const own = lookup.keys.map((ref, i) => {
      const other = others.get(ref)
      return (other?.has(id) ? other.get(id) : row?.[i]) ?? null
    })
    for (const key of keyTexts(own, isContained)) keys.add(key)
  }
  return keys
}

function keyTexts(values: readonly LogValue[], contains: readonly boolean[]): string[] {
  let keys: (string | number | null)[][] = [[]]
  values.forEach((value, i) => {
    const items = contains[i] ? itemsOf(value) : [keyItem(value)]
    if (keys.length * items.length <= MAX_KEYS)
      keys = keys.flatMap((key) => items.map((item) => [...key, item]))
  })
  return keys.map((key) => JSON.stringify(key))
}

/** The text of the stored values of a key, as `keysOfRows` returns it. */
export function keyText(values: readonly LogValue[]): string {
  return JSON.stringify(values.map(keyItem))
}

/** The items of a stored list; an empty list is found as null. */
function itemsOf(value: LogValue): (string | number | null)[] {
  if (typeof value !== 'string' || !value.startsWith('[')) return [null]
  const items = JSON.parse(value) as LogValue[]
  return items.length === 0 ? [null] : items.map(keyItem)
}

/** Programs print fractions differently, so their bytes are used. */
function keyItem(value: LogValue): string | number | null {
  if (typeof value !== 'number' || Number.isInteger(value)) return value
  const bytes = Buffer.alloc(8)
  bytes.writeDoubleBE(value)
  return `f:${bytes.toString('hex')}`
}

/** The rows of a formula column that look up any of these keys. */
export function rowsLookingUp(
  connection: Connection,
  { of, position }: LookupUser,
  keys: ReadonlySet<string>,
): number[] {
  if (keys.size === 0) return []
  // With DISTINCT, SQLite would read all uses of the column in the order of their rows.
  const rows = connection
    .pluck<number>(
      `SELECT row FROM _sheaf_lookup_uses
       WHERE column_ref = ? AND lookup = ? AND key IN (SELECT value FROM json_each(?))`,
    )
    .all(of.column.ref, position, JSON.stringify([...keys]))
  return keys.size === 1 ? rows : [...new Set(rows)]
}
