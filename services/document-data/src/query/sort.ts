import { AppError } from '@sheaf/kit/errors'
import { shorten } from '@sheaf/kit/truncate-text'
import { quoteText } from '../quoting/quote'
import type { StoredValue } from '../values/column-type'
import { columnSql, isErrorSql } from '../values/error-cells'
import { findColumn, nearColumn } from './table-shape'
import type { ColumnShape, TableShape } from './table-shape'

/** One sort key. */
export interface SortKey {
  /** Column id, or `id`. */
  column: string
  descending: boolean
  /** Sorts digits in text as numbers. */
  naturalSort: boolean
  /** Sorts null and empty text last, both ascending and descending. */
  emptyLast: boolean
  /** Sorts text by its position in the choices of the column. */
  orderByChoice: boolean
}

/** One SQL sort term. */
export interface OrderTerm {
  readonly sql: string
  readonly descending: boolean
  /** Bound values of the SQL. */
  readonly params: readonly StoredValue[]
  /** SQL of the text of which the term is the `sheaf_sort_key`; absent for other terms. */
  readonly text?: string
}

/** SQL sort terms and their bound values. */
export interface Order {
  /** The keys that it was made of. */
  keys: readonly SortKey[]
  sql: string
  /** The individual terms; the last one is the row id. */
  terms: readonly OrderTerm[]
  /** The bound values of all terms. */
  params: StoredValue[]
}

/** Maximum number of choices used, because each is a separate expression. */
const MAX_CHOICES = 1000
const MAX_KEYS = 50

/**
 * Reads keys such as `A`, `-B`, `-id`, `C:naturalSort;emptyLast`; the column may be a column ref. Unknown
 * flags are ignored. Throws AppError `invalid`: UNKNOWN_SORT_KEY naming the key, TOO_MANY_SORT_KEYS beyond
 * 50.
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
  const shown = shorten(name)
  const { hint, details } = nearColumn(name, table)
  const message = `unknown key ${shown}${hint}`
  throw new AppError('invalid', 'UNKNOWN_SORT_KEY', message, { key: shown, ...details })
}

/**
 * Returns the terms of a total order: the keys, then manualSort and the row id; without keys, only the row
 * id. `prefix` precedes each column.
 */
export function orderTerms(table: TableShape, keys: readonly SortKey[], prefix: string): Order {
  const terms: OrderTerm[] = []
  const seen = new Set<string>()
  for (const key of keys) {
    if (seen.has(key.column)) continue
    seen.add(key.column)
    if (key.column !== 'id') {
      addTerms(key, findColumn(table, key.column), { terms, prefix })
      continue
    }
    // The row id is unique, so later terms have no effect.
    terms.push({ sql: `${prefix}"id"`, descending: key.descending, params: [] })
    return order(keys, terms)
  }
  if (keys.length > 0 && findColumn(table, 'manualSort') && !seen.has('manualSort')) {
    terms.push({ sql: `${prefix}"manualSort"`, descending: false, params: [] })
  }
  terms.push({ sql: `${prefix}"id"`, descending: false, params: [] })
  return order(keys, terms)
}

function order(keys: readonly SortKey[], terms: readonly OrderTerm[]): Order {
  const sql = terms.map(({ sql: term, descending }) => (descending ? `${term} DESC` : term))
  return { keys, sql: sql.join(','), terms, params: terms.flatMap(({ params }) => params) }
}

function addTerms(
  key: SortKey,
  column: ColumnShape | undefined,
  out: { terms: OrderTerm[]; prefix: string },
): void {
  const sql = columnSql(column ?? { id: key.column }, out.prefix)
  const { descending } = key
  out.terms.push(...errorTerms(sql, key, column))
  if (key.emptyLast)
    out.terms.push({ sql: `(${sql} IS NULL OR ${sql}='')`, descending: false, params: [] })
  const choices = key.orderByChoice ? (column?.choices ?? []).slice(0, MAX_CHOICES) : []
  if (choices.length > 0) {
    const places = choices.map((_, place) => `WHEN ? THEN ${place}`).join(' ')
    const place = `CASE ${sql} WHEN '' THEN -1 ${places} ELSE ${choices.length} END`
    const placed = `CASE WHEN ${sql} IS NULL THEN -1 ELSE ${place} END`
    out.terms.push({ sql: placed, descending, params: choices })
  }
  if (column?.type.storage === 'text' && !key.naturalSort) addTextTerms(sql, descending, out.terms)
  else out.terms.push({ sql: sortExpression(sql, column, key.naturalSort), descending, params: [] })
}

/** Errors of formulas follow all other cells. */
function errorTerms(
  sql: string,
  { descending }: SortKey,
  column: ColumnShape | undefined,
): OrderTerm[] {
  if (!column?.isFormula || !column.type.errorJsonSql) return []
  return [{ sql: `(${isErrorSql(sql)})`, descending, params: [] }]
}

/** Sorts after all ASCII text. */
export const HIGHEST = '\u{10ffff}'

/**
 * Terms that sort a Text column like `sheaf_sort_key`, which is called only for text that is not all ASCII:
 * for ASCII text plain SQLite gives the same order ten times as fast. Of texts that differ only in case, the
 * one in lower case, with higher codes, comes first.
 */
function addTextTerms(sql: string, descending: boolean, terms: OrderTerm[]): void {
  const byKind = (other: string, ascii: string) =>
    `CASE WHEN octet_length(${sql})<>length(${sql}) THEN ${other} ELSE ${ascii} END`
  const letters = byKind(`sheaf_sort_key(${sql})`, `lower(${sql})`)
  terms.push({ sql: letters, descending, params: [], text: sql })
  terms.push({ sql: byKind(quoteText(HIGHEST), sql), descending: !descending, params: [] })
}

/**
 * Expression whose SQLite order is that of the API: booleans, numbers, null and lists, text. Numbers are
 * compared natively, with null as infinity, which is never stored; only text needs a function call. In a Text
 * column null comes first, as in SQLite.
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
