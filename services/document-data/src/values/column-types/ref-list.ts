import type { Cell, ColumnContext, ColumnType, StoredValue } from '../column-type'
import {
  listFromStored,
  listJsonSql,
  readJsonList,
  referencesJsonSql,
  splitItems,
  storedList,
  storedListText,
} from '../list-storage'
import { cellText } from '../python-text'
import { lookupText, readLookup, readRowId, readRowIdText, refuseTypedReference } from './row-id'

/** Lists of row ids of another table, stored as JSON text. */
export function createRefListType(table: string): ColumnType {
  return {
    ...idListType,
    name: 'RefList',
    argument: table,
    toStored: refListToStored,
    typedJsonSql: referencesJsonSql(table),
  }
}

/** The rules common to RefList and Attachments: all but the parsing of text. */
export const idListType: Omit<ColumnType, 'name'> = {
  affinity: '',
  storage: 'list',
  defaultValue: null,
  toStored: idsToStored,
  fromStored: listFromStored,
  jsonSql: listJsonSql,
}

function refListToStored(
  cell: Cell,
  context: ColumnContext,
  { noParse }: { noParse: boolean },
): StoredValue {
  if (typeof cell !== 'string' || cell === '' || noParse || readJsonList(cell)) {
    return idsToStored(cell, context)
  }
  const find = context.lookup ? (item: string) => context.lookup?.(item) : readRowIdText
  const ids = splitItems(cell).map(find)
  const known = ids.filter((id) => id !== undefined)
  return known.length === ids.length ? storedIds(known) : storedListText(cell)
}

function idsToStored(cell: Cell, context: ColumnContext): StoredValue {
  if (cell === null || cell === '' || cell === 0) return null
  if (typeof cell === 'string') return idTextToStored(cell)
  if (!Array.isArray(cell)) return singleToStored(cell)
  refuseTypedReference(cell)
  const lookup = readLookup(cell, context)
  const ids = lookup
    ? lookup.values.map(lookup.find)
    : cell[0] === 'L'
      ? cell.slice(1).map(readRowId)
      : [undefined]
  const known = ids.filter((id) => id !== undefined)
  if (known.length === ids.length) return storedIds(known)
  return storedListText(lookup ? lookupText(lookup) : cellText(cell))
}

function singleToStored(cell: number | boolean): StoredValue {
  const id = typeof cell === 'boolean' ? BigInt(cell) : readRowId(cell)
  if (id === 0n) return null
  return id === undefined ? storedListText(cellText(cell)) : storedIds([id])
}

function idTextToStored(text: string): StoredValue {
  const list = readJsonList(text)
  const ids = list?.every((item) => Number.isSafeInteger(item) && (item as number) > 0)
  return list && ids ? storedList(list) : storedListText(text)
}

function storedIds(ids: readonly bigint[]): StoredValue {
  return storedList(ids.map(Number))
}
