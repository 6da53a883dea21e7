import { isGroupKey } from '../../query/filter'
import { findColumn } from '../../query/table-shape'
import type { SortKey } from '../../query/sort'
import type { Table } from '../schema/schema'

/*
 * Filter, sort order and columns of a view as they are stored: columns by their refs, so that they follow renames and come
 * back when the removal of a column is undone. What is stored was checked when it was written; a column may have gone since,
 * and is then left out.
 */

/** A column as a view shows it. */
export interface ViewColumn {
  /** Column id. */
  readonly id: string
  /** In pixels; absent for the usual one. */
  readonly width?: number
  readonly hidden?: true
}

/** What a view shows of all values of a column. */
export interface ColumnSummary {
  /** Column id. */
  readonly id: string
  /** The name of the function. */
  readonly summary: string
}

/** Conditions by column, in the form of the records API. */
export type FilterJson = Readonly<Record<string, unknown>>

const REF = /^c([1-9]\d*)$/

/** The name under which a column is stored; `id` for the row id. */
export const keyOf = (table: Table, name: string): string => {
  const ref = findColumn(table, name)?.ref
  return ref ? `c${ref}` : name
}

/** The id of the column that a stored name means; undefined when it is gone. */
export function nameOf(table: Table, key: string): string | undefined {
  if (key === 'id') return key
  const ref = Number(REF.exec(key)?.[1])
  return table.columns.find((column) => column.ref === ref)?.id
}

/** A valid filter, as it is stored. */
export function storeFilter(table: Table, filter: FilterJson): string {
  return Object.keys(filter).length === 0 ? '' : JSON.stringify(byRef(table, filter))
}

function byRef(table: Table, filter: FilterJson): FilterJson {
  return Object.fromEntries(
    Object.entries(filter).map(([name, wanted]) =>
      isGroupKey(name)
        ? [name, (wanted as readonly FilterJson[]).map((filter) => byRef(table, filter))]
        : [keyOf(table, name), wanted],
    ),
  )
}

/** A stored filter in the form of the records API. A filter of a group of which nothing is left is left out too. */
export function readFilter(table: Table, stored: string): FilterJson {
  const value = parseStored(stored)
  return isObject(value) ? byName(table, value) : {}
}

function byName(table: Table, filter: FilterJson): FilterJson {
  return Object.fromEntries(
    Object.entries(filter).flatMap(([key, wanted]): [string, unknown][] => {
      if (!isGroupKey(key)) {
        const name = nameOf(table, key)
        return name === undefined ? [] : [[name, wanted]]
      }
      const group = (Array.isArray(wanted) ? wanted.filter(isObject) : [])
        .map((filter) => byName(table, filter))
        .filter((filter) => Object.keys(filter).length > 0)
      return group.length === 0 ? [] : [[key, group]]
    }),
  )
}

/** Sort keys, as they are stored. */
export function storeSort(table: Table, keys: readonly SortKey[]): string {
  if (keys.length === 0) return ''
  return JSON.stringify(keys.map((key) => sortText(key, keyOf(table, key.column))))
}

function sortText(key: SortKey, name: string): string {
  const { descending, naturalSort, emptyLast, orderByChoice } = key
  const flags = Object.entries({ naturalSort, emptyLast, orderByChoice })
    .filter(([, isSet]) => isSet)
    .map(([flag]) => flag)
  return `${descending ? '-' : ''}${name}${flags.length > 0 ? `:${flags.join(';')}` : ''}`
}

/** Stored sort keys in the form of the records API. */
export function readSort(table: Table, stored: string): string[] {
  const keys = parseStored(stored)
  if (!Array.isArray(keys)) return []
  return keys.flatMap((key) => {
    const [, sign = '', stem = '', flags = ''] = /^(-?)(\w+)((?::.*)?)$/.exec(String(key)) ?? []
    const name = nameOf(table, stem)
    return name === undefined ? [] : [`${sign}${name}${flags}`]
  })
}

/** Columns, which the table has, as they are stored. */
export function storeColumns(table: Table, columns: readonly ViewColumn[]): string {
  if (columns.length === 0) return ''
  return JSON.stringify(columns.map(({ id, ...rest }) => ({ column: keyOf(table, id), ...rest })))
}

/** Stored columns that still exist. */
export function readColumns(table: Table, stored: string): ViewColumn[] {
  const columns = parseStored(stored)
  if (!Array.isArray(columns)) return []
  return columns.filter(isObject).flatMap(({ column, width, hidden }) => {
    const id = nameOf(table, String(column))
    if (id === undefined) return []
    return [
      {
        id,
        ...(Number.isSafeInteger(width) && { width: Number(width) }),
        ...(hidden === true && { hidden }),
      },
    ]
  })
}

/** Summaries of columns, which the table has, as they are stored. */
export function storeSummaries(table: Table, summaries: readonly ColumnSummary[]): string {
  if (summaries.length === 0) return ''
  return JSON.stringify(
    Object.fromEntries(summaries.map(({ id, summary }) => [keyOf(table, id), summary])),
  )
}

/** Stored summaries of columns that still exist. */
export function readSummaries(table: Table, stored: string): ColumnSummary[] {
  const summaries = parseStored(stored)
  if (!isObject(summaries)) return []
  return Object.entries(summaries).flatMap(([key, summary]) => {
    const id = nameOf(table, key)
    return id === undefined ? [] : [{ id, summary: String(summary) }]
  })
}

/** True for a JSON object. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Parses a stored text; undefined for one that is not JSON. */
export function parseStored(stored: string): unknown {
  if (stored === '') return undefined
  try {
    return JSON.parse(stored)
  } catch {
    return undefined
  }
}
