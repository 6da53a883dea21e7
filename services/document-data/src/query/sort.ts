import { AppError } from '@sheaf/kit/errors'
import type { StoredValue } from '../values/column-type'
import { quoteId } from '../quoting/quote'
import { findColumn } from './table-shape'
import type { ColumnShape, TableShape } from './table-shape'

/** One key of an order. */
export interface SortKey {
  /** Column id, or `id`. */
  column: string
  descending: boolean
  /** Digits in text sort as numbers. */
  naturalSort: boolean
  /** Null and empty text come last, ascending and descending. */
  emptyLast: boolean
  /** Text sorts by its place among the column's choices. */
  orderByChoice: boolean
}

/** One term of an order. */
export interface OrderTerm {
  readonly sql: string
  readonly descending: boolean
}

/** SQL terms of an order and their bound values. */
export interface Order {
  sql: string
  /** The same one by one; the last one is the row id. */
  terms: readonly OrderTerm[]
  params: StoredValue[]
}

/** Longer choice lists are cut: each choice is an expression of its own. */
const MAX_CHOICES = 1000
const MAX_KEYS = 50

/**
 * Reads keys such as `A`, `-B`, `-id`, `C:naturalSort;emptyLast`; the column may be a column number. Unknown flags are
 * ignored. Throws AppError `invalid` (UNKNOWN_SORT_KEY) naming the key, (TOO_MANY_SORT_KEYS) beyond 50.
 */
export function parseSort(keys: readonly string[], table: TableShape): SortKey[] {
  if (keys.length > MAX_KEYS) {
    throw new AppError(
      'invalid',
      'TOO_MANY_SORT_KEYS',
      `sort must not have more than ${MAX_KEYS} keys`,
    )
  }
  return keys.map((key) => {
    const descending = key.startsWith('-')
    const colon = key.indexOf(':')
    const name = key.slice(descending ? 1 : 0, colon < 0 ? undefined : colon)
    const flags = colon < 0 ? [] : key.slice(colon + 1).split(';')
    return {
      column: resolveColumn(name, table),
      descending,
      naturalSort: flags.includes('naturalSort'),
      emptyLast: flags.includes('emptyLast'),
      orderByChoice: flags.includes('orderByChoice'),
    }
  })
}

function resolveColumn(name: string, table: TableShape): string {
  if (name === 'id' || findColumn(table, name)) return name
  const byRef = /^\d{1,15}$/.test(name)
    ? table.columns.find((column) => column.ref === Number(name))
    : undefined
  if (byRef) return byRef.id
  const shown = name.length > 100 ? `${name.slice(0, 100)}…` : name
  throw new AppError('invalid', 'UNKNOWN_SORT_KEY', `unknown key ${shown}`, { key: shown })
}

/**
 * Terms of the order, always total: after the keys come manualSort and the row id. Without keys it is the row id
 * alone. `prefix` goes before each column.
 */
export function orderTerms(table: TableShape, keys: readonly SortKey[], prefix: string): Order {
  const terms: OrderTerm[] = []
  const params: StoredValue[] = []
  const seen = new Set<string>()
  for (const key of keys) {
    if (seen.has(key.column)) continue
    seen.add(key.column)
    if (key.column !== 'id') {
      addTerms(key, findColumn(table, key.column), { terms, params, prefix })
      continue
    }
    // Nothing after a row id can matter.
    terms.push({ sql: `${prefix}"id"`, descending: key.descending })
    return order(terms, params)
  }
  if (keys.length > 0 && findColumn(table, 'manualSort') && !seen.has('manualSort')) {
    terms.push({ sql: `${prefix}"manualSort"`, descending: false })
  }
  terms.push({ sql: `${prefix}"id"`, descending: false })
  return order(terms, params)
}

function order(terms: readonly OrderTerm[], params: StoredValue[]): Order {
  const sql = terms.map(({ sql: term, descending }) => (descending ? `${term} DESC` : term))
  return { sql: sql.join(','), terms, params }
}

function addTerms(
  key: SortKey,
  column: ColumnShape | undefined,
  out: { terms: OrderTerm[]; params: StoredValue[]; prefix: string },
): void {
  const sql = out.prefix + quoteId(key.column)
  const { descending } = key
  if (key.emptyLast) out.terms.push({ sql: `(${sql} IS NULL OR ${sql}='')`, descending: false })
  const choices = key.orderByChoice ? (column?.choices ?? []).slice(0, MAX_CHOICES) : []
  if (choices.length > 0) {
    const places = choices.map((_, place) => `WHEN ? THEN ${place}`).join(' ')
    const place = `CASE ${sql} WHEN '' THEN -1 ${places} ELSE ${choices.length} END`
    out.terms.push({ sql: `CASE WHEN ${sql} IS NULL THEN -1 ELSE ${place} END`, descending })
    out.params.push(...choices)
  }
  if (column?.type.storage === 'text' && !key.naturalSort) addTextTerms(sql, descending, out.terms)
  else out.terms.push({ sql: sortExpression(sql, column, key.naturalSort), descending })
}

/** Above all ASCII text. */
const HIGHEST = `'\u{10ffff}'`

/**
 * Terms by which a Text column sorts as by `sheaf_sort_key`, which is called only for text that is not all ASCII: for the rest
 * SQLite does the same, ten times as fast. Of what differs in case alone lower case comes first, whose codes are higher.
 */
function addTextTerms(sql: string, descending: boolean, terms: OrderTerm[]): void {
  const byKind = (other: string, ascii: string) =>
    `CASE WHEN octet_length(${sql})<>length(${sql}) THEN ${other} ELSE ${ascii} END`
  terms.push({ sql: byKind(`sheaf_sort_key(${sql})`, `lower(${sql})`), descending })
  terms.push({ sql: byKind(HIGHEST, sql), descending: !descending })
}

/**
 * Expression whose order in SQLite is that of the API: booleans, numbers, null and lists, text. Numbers are compared
 * natively and null among them as infinity, which is never stored; only text costs a function call. In a Text column
 * null comes first, as in SQLite.
 */
function sortExpression(sql: string, column: ColumnShape | undefined, natural: boolean): string {
  const type = column?.type
  if (type?.name === 'ManualSortPos') return sql
  if (type?.storage === 'text') return `sheaf_natural_key(${sql})`
  const number = type?.storage === 'number'
  const key = number
    ? `sheaf_${natural ? 'natural' : 'sort'}_key`
    : `sheaf_${natural ? 'natural_' : ''}cell_key`
  return `CASE WHEN typeof(${sql})='text' THEN ${key}(${sql}) ELSE ifnull(${sql},9e999) END`
}
