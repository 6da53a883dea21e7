import { AppError } from '@sheaf/kit/errors'
import { shorten } from '@sheaf/kit/truncate-text'
import type { Condition } from '../../query/filter'
import { quoteId } from '../../quoting/quote'
import type { Cell, StoredValue } from '../../values/column-type'
import { columnSql, isStoredError } from '../../values/error-cells'
import { tag } from '../../values/tagged-text'
import type { DocumentWriter } from '../document'
import type { Column, Table } from '../schema/schema'
import { invalidColumn } from '../schema/unknown-names'
import { requireComputed } from './computed-cells'
import { convertCells, type CellColumns, type WriteOptions } from './conversion'

/** Values compared in one scan; their number is rounded up, so that statements are reused. */
const SIZES = [16, 128, 1024, 8192]
/** Bound values in one statement; SQLite allows 32,766. */
const MAX_BOUND = 30_000

/** The rows to find. */
export interface RowSearch {
  /** Cells by column id, `id` among them, one for each search. Without columns every row matches. */
  readonly require: CellColumns
  readonly count: number
  /** Maximum number of rows that one search returns: those with the lowest ids. */
  readonly most: number
}

/** One column of a search, in stored form. */
interface Term {
  /** Undefined for the row id. */
  readonly column: Column | undefined
  readonly name: string
  /** True where booleans equal 1 and 0. */
  readonly mixed: boolean
  readonly values: readonly StoredValue[]
}

const TRUE = tag(true)
const FALSE = tag(false)

/**
 * Ids of the rows that have the required values, ascending, for each search. Cells are parsed as they would
 * be when written. Throws AppError `invalid`: INVALID_COLUMN, INVALID_ROW_ID, INVALID_VALUE for an error, and for a list
 * in a column of lists, which cannot be looked up, REQUIRE_NOT_UNIQUE for two equal searches.
 */
export function findRows(
  doc: DocumentWriter,
  table: Table,
  search: RowSearch,
  options: WriteOptions,
): number[][] {
  const terms = [...search.require].map(([colId, cells]) =>
    readTerm(doc, table, { colId, cells }, options),
  )
  requireComputed(
    doc,
    terms.map(({ column }) => column),
  )
  const keys = Array.from({ length: search.count }, (_, at) =>
    keyOf(terms.map(({ values, mixed }) => plainOf(values[at] ?? null, mixed))),
  )
  const places = new Map(keys.map((key, at) => [key, at]))
  if (places.size < search.count)
    throw new AppError('invalid', 'REQUIRE_NOT_UNIQUE', 'require values must be unique')
  const indexed = terms.find(({ column }) => !column || doc.indexes?.has(table, column))
  if (terms.length > 0) noteUse(doc, table, terms, indexed)
  return indexed || search.count === 1
    ? findOneByOne(doc, table, terms, search)
    : findInScans(doc, table, terms, { ...search, places })
}

function readTerm(
  doc: DocumentWriter,
  table: Table,
  { colId, cells }: { colId: string; cells: readonly (Cell | undefined)[] },
  options: WriteOptions,
): Term {
  if (colId === 'id')
    return { column: undefined, name: '"id"', mixed: false, values: cells.map(readId) }
  const column = table.byId.get(colId)
  if (!column) throw invalidColumn(colId, table)
  const values = convertCells(doc, column, cells, options)
  const { storage } = column.type
  for (const value of values) {
    if (storage === 'list' && typeof value === 'string' && value.startsWith('['))
      throw new AppError(
        'invalid',
        'INVALID_VALUE',
        `column "${shorten(colId)}" cannot be matched with a list`,
      )
    // The message of an error, which nobody can give, is part of what is stored.
    if (isStoredError(value))
      throw new AppError(
        'invalid',
        'INVALID_VALUE',
        `column "${shorten(colId)}" cannot be matched with an error`,
      )
  }
  return { column, name: columnSql(column), mixed: storage === 'any', values }
}

function readId(cell: Cell | undefined): bigint {
  if (typeof cell === 'number' && Number.isSafeInteger(cell)) return BigInt(cell)
  throw new AppError('invalid', 'INVALID_ROW_ID', `Invalid row id ${shorten(String(cell))}`)
}

/**
 * A stored value as a key: numbers are unchanged; a boolean in a column of type Any becomes the number that
 * it equals.
 */
function plainOf(value: StoredValue, mixed: boolean): string | number | null {
  if (typeof value === 'bigint') return Number(value)
  if (!mixed || typeof value !== 'string') return value
  return value === TRUE ? 1 : value === FALSE ? 0 : value
}

type Key = string | number | null

/** A key that only equal values share. */
function keyOf(values: readonly Key[]): Key {
  if (values.length === 1) return values[0] ?? null
  return JSON.stringify(
    values.map((value) => (typeof value === 'number' ? [String(value)] : value)),
  )
}

/** The forms in which a value of a column may be stored; twice the same when there is only one. */
function formsOf(value: StoredValue): [StoredValue, StoredValue] {
  if (value === 1n || value === TRUE) return [1n, TRUE]
  if (value === 0n || value === FALSE) return [0n, FALSE]
  return [value, value]
}

function equals({ column, name, mixed }: Term): string {
  if (!column) return `${name} = ?`
  return mixed ? `(${name} IS ? OR ${name} IS ?)` : `${name} IS ?`
}

function boundOf({ values, mixed }: Term, at: number): StoredValue[] {
  const value = values[at] ?? null
  return mixed ? formsOf(value) : [value]
}

/**
 * One statement per search: used where an index or the row id finds the rows, or there is only one search.
 */
function findOneByOne(
  { connection }: DocumentWriter,
  table: Table,
  terms: readonly Term[],
  { count, most }: RowSearch,
): number[][] {
  const where = terms.length === 0 ? '1' : terms.map(equals).join(' AND ')
  const limit = Number.isFinite(most) ? ` LIMIT ${most}` : ''
  const statement = connection.pluck<number>(
    `SELECT id FROM ${quoteId(table.tableId)} WHERE ${where} ORDER BY id${limit}`,
  )
  return Array.from({ length: count }, (_, at) =>
    statement.all(...terms.flatMap((term) => boundOf(term, at))),
  )
}

interface Scan extends RowSearch {
  /** Index of the search by its key. */
  readonly places: ReadonlyMap<Key, number>
}

/** One scan serves many searches. */
function findInScans(
  doc: DocumentWriter,
  table: Table,
  terms: readonly Term[],
  search: Scan,
): number[][] {
  const found = Array.from({ length: search.count }, (): number[] => [])
  const forms = terms.reduce((sum, { mixed }) => sum + (mixed ? 2 : 1), 0)
  const step = Math.min(SIZES.at(-1) ?? 1, Math.floor(MAX_BOUND / forms))
  for (let start = 0; start < search.count; start += step)
    scan(doc, table, terms, { ...search, start, end: Math.min(start + step, search.count), found })
  return found
}

function scan(
  { connection }: DocumentWriter,
  table: Table,
  terms: readonly Term[],
  search: Scan & { readonly start: number; readonly end: number; readonly found: number[][] },
): void {
  const { start, end, found, places, most } = search
  const size = SIZES.find((candidate) => candidate >= end - start) ?? end - start
  const bound: StoredValue[] = []
  const conditions = terms.map((term) => {
    const slots = term.mixed ? 2 * size : size
    const values: StoredValue[] = []
    for (let at = start; at < end; at++) values.push(...boundOf(term, at))
    while (values.length < slots) values.push(values[0] ?? null)
    bound.push(...values)
    const isIn = `${term.name} IN (${new Array(slots).fill('?').join(',')})`
    return values.includes(null) ? `(${isIn} OR ${term.name} IS NULL)` : isIn
  })
  const names = terms.map(({ name }) => name).join(', ')
  // The condition also matches combinations of different searches: the key decides.
  const rows = connection
    .raw<[number, ...(string | number | null)[]]>(
      `SELECT id, ${names} FROM ${quoteId(table.tableId)} NOT INDEXED
       WHERE ${conditions.join(' AND ')} ORDER BY id`,
    )
    .iterate(...bound)
  let open = end - start
  for (const [id, ...values] of rows) {
    const at = places.get(keyOf(values.map((value, t) => plainOf(value, terms[t]?.mixed ?? false))))
    const ids = at === undefined ? undefined : found[at]
    if (!ids || ids.length >= most) continue
    ids.push(id)
    if (ids.length === most && --open === 0) break
  }
}

/** Records what an index saved these searches, or would have: the one on the most selective term. */
function noteUse(
  { connection, indexes }: DocumentWriter,
  table: Table,
  terms: readonly Term[],
  indexed: Term | undefined,
): void {
  if (!indexes || (indexed && !indexed.column)) return
  const rows = connection
    .pluck<number | null>(`SELECT max(id) FROM ${quoteId(table.tableId)}`)
    .get()
  const count = rows ?? 0
  if (indexed?.column) return indexes.used(table, indexed.column, count)
  const distinct = (term: Term) => new Set(term.values).size
  const best = terms.reduce((a, b) => (distinct(b) > distinct(a) ? b : a))
  const { column } = best
  if (!column || column.ref === 0) return
  const condition: Condition = { sql: equals(best), params: boundOf(best, 0) }
  indexes.missed({ table, column, rows: count, condition })
}
