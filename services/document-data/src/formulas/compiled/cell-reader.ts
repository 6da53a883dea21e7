import { quoteId } from '../../quoting/quote'
import type { LogValue } from '../../store/log/log'
import type { Table } from '../../store/schema/schema'
import type { Connection } from '../../store/sqlite/connections'
import type { ColumnOfTable } from '../dependencies/formula-columns'
import { keyText } from '../dependencies/lookup-keys'
import {
  indexedColumn,
  type CellSource,
  type CellsOf,
  type CompiledLookup,
  type Total,
  type TotalOf,
} from './frame'
import { totalOf, type LookupTotals } from './lookup-totals'
import { sortColumns, sortedIds } from './row-order'
import type { ComputeBudget } from './compute-budget'
import { defaultOf, hasZeroBlank } from './stored-values'

/** Cells that are remembered. */
const MAX_CELLS = 100_000
/** Keys of a lookup without an index that are found one by one, before all rows of the table are read for the others, … */
const MAX_SCANS = 2
/** … and rows of a table that are. */
const MAX_GROUPED = 100_000

/** Finds rows by the value of a column without reading a whole table. */
export interface LookupIndexes {
  has(of: ColumnOfTable): boolean
  /** Records that a lookup reads all rows because there is no index. */
  missed(of: ColumnOfTable): void
  /** Records that an index saved a lookup from reading this many rows. */
  used(of: ColumnOfTable, rows: number): void
}

/** Rows by key of one lookup, and the keys that each row has looked up. */
class LookupReads {
  readonly rows = new Map<string, readonly number[]>()
  readonly cells = new Map<string, readonly LogValue[]>()
  uses = new Map<number, Set<string>>()
  /** Keys for which all rows of the table were read. */
  scans = 0
  /** What an expression is in the rows of each key, once the whole table was read for it. */
  readonly groups = new Map<string, ReadonlyMap<string, readonly LogValue[]>>()

  constructor(
    readonly isIndexed: boolean,
    /** Rows that a lookup without an index reads. */
    readonly tableRows: number,
  ) {}

  /** Remembers that a row has looked up a key. Returns the text of the key. */
  use(keys: readonly LogValue[], row: number): string {
    const text = keyText(keys)
    if (keys.length === 0) return text
    const uses = this.uses.get(row)
    if (uses) uses.add(text)
    else this.uses.set(row, new Set([text]))
    return text
  }
}

/** Reads cells of other rows for the formula of one column, and remembers them. */
export class CellReader implements CellSource {
  private readonly single = new Map<string, LogValue>()
  private readonly lookups = new Map<CompiledLookup, LookupReads>()

  constructor(
    private readonly connection: Connection,
    private readonly indexes: LookupIndexes,
    private readonly totals: LookupTotals,
    private readonly budget: ComputeBudget,
  ) {}

  /** See CellSource. */
  stored({ table, column }: ColumnOfTable, row: number): LogValue {
    if (row <= 0) return defaultOf(column)
    const key = `${column.ref} ${row}`
    const known = this.single.get(key)
    if (known !== undefined) return known
    const found = this.connection
      .pluck<LogValue>(`SELECT ${quoteId(column.id)} FROM ${quoteId(table.tableId)} WHERE id = ?`)
      .get(row)
    const value = found === undefined ? defaultOf(column) : found
    if (this.single.size >= MAX_CELLS) this.single.clear()
    this.single.set(key, value)
    return value
  }

  /** See CellSource. */
  find(lookup: CompiledLookup, keys: readonly LogValue[], row: number): readonly number[] {
    const reads = this.readsOf(lookup)
    const text = reads.use(keys, row)
    const known = reads.rows.get(text)
    if (known) return known
    const found = this.readIds(lookup, keys)
    this.spend(found.length)
    reads.rows.set(text, found)
    return found
  }

  /** See CellSource. */
  cells({ lookup, value }: CellsOf, keys: readonly LogValue[], row: number): readonly LogValue[] {
    const reads = this.readsOf(lookup)
    const text = reads.use(keys, row)
    const place = `${value.column.ref} ${text}`
    const known = reads.cells.get(place)
    if (known) return known
    const found = this.readFound<LogValue>(lookup, keys, quoteId(value.column.id))
    this.spend(found.length)
    reads.cells.set(place, found)
    return found
  }

  /** See CellSource. */
  total(of: TotalOf, keys: readonly LogValue[], row: number): Total {
    const { lookup, value } = of
    const reads = this.readsOf(lookup)
    const text = reads.use(keys, row)
    const known = this.totals.find(of, text)
    if (known) return known
    const indexed = indexedColumn(lookup)
    if (indexed && !reads.isIndexed) this.indexes.missed(indexed)
    const cells = value ? quoteId(value.column.id) : 'NULL'
    const total = totalOf(this.readFound<LogValue>(lookup, keys, cells))
    this.spend(total.rows)
    this.totals.keep(of, text, total)
    return total
  }

  /** True when all rows of a table are read for each key of a lookup, which takes long for many. */
  get isScanning(): boolean {
    return [...this.lookups.values()].some(
      ({ isIndexed, scans }) => !isIndexed && scans > MAX_SCANS,
    )
  }

  /** See CellSource. */
  spend(steps: number): void {
    this.budget.spend(steps)
  }

  /** The texts of the keys that each row has looked up since this was asked last. */
  takeUses(lookup: CompiledLookup): ReadonlyMap<number, ReadonlySet<string>> {
    const reads = this.lookups.get(lookup)
    const uses = reads?.uses ?? new Map<number, Set<string>>()
    if (reads) reads.uses = new Map()
    return uses
  }

  private readsOf(lookup: CompiledLookup): LookupReads {
    const known = this.lookups.get(lookup)
    if (known) return known
    const indexed = indexedColumn(lookup)
    const isIndexed = indexed !== undefined && this.indexes.has(indexed)
    const rows = countAtMost(this.connection, lookup.table)
    if (isIndexed) this.indexes.used(indexed, rows)
    const made = new LookupReads(isIndexed, rows)
    this.lookups.set(lookup, made)
    return made
  }

  /** Reads an expression in the rows that a lookup finds, by id. */
  private readFound<T extends LogValue>(
    lookup: CompiledLookup,
    keys: readonly LogValue[],
    expression: string,
  ): readonly T[] {
    const reads = this.readsOf(lookup)
    const grouped = this.findGroups(reads, lookup, expression)
    if (grouped && keys.every((key, i) => isGroupKey(key, lookup.columns[i])))
      return (grouped.get(groupText(keys)) ?? []) as T[]
    this.noteScan(reads)
    return this.connection.pluck<T>(foundSql(lookup, keys, expression)).all(...keys)
  }

  /** Counts the rows that finding a key reads. */
  private noteScan(reads: LookupReads): void {
    this.spend(reads.isIndexed ? 1 : reads.tableRows)
    reads.scans++
  }

  /** For many keys, all rows are read once instead of once for each key. */
  private findGroups(
    reads: LookupReads,
    lookup: CompiledLookup,
    expression: string,
  ): ReadonlyMap<string, readonly LogValue[]> | undefined {
    const known = reads.groups.get(expression)
    if (known) return known
    const { table, columns, contains } = lookup
    const isFit = !reads.isIndexed && columns.length > 0 && !contains.includes(true)
    if (!isFit || reads.scans < MAX_SCANS || reads.tableRows > MAX_GROUPED) return undefined
    this.spend(reads.tableRows)
    const groups = new Map<string, LogValue[]>()
    const names = [expression, ...columns.map(({ column }) => quoteId(column.id))].join(', ')
    const rows = this.connection.raw<LogValue[]>(
      `SELECT ${names} FROM ${quoteId(table.tableId)} ORDER BY id`,
    )
    for (const [found = null, ...cells] of rows.all()) {
      const text = groupText(cells.map((cell, i) => cell ?? blankOf(columns[i])))
      const group = groups.get(text)
      if (group) group.push(found)
      else groups.set(text, [found])
    }
    reads.groups.set(expression, groups)
    return groups
  }

  /** Reads the ids of the rows that a lookup finds, in its order. */
  private readIds(lookup: CompiledLookup, keys: readonly LogValue[]): readonly number[] {
    const { order } = lookup
    if (order.length === 0) return this.readFound<number>(lookup, keys, '"id"')
    const names = ['id', ...sortColumns(order).map(({ column }) => column.id)].map(quoteId)
    const reads = this.readsOf(lookup)
    if (this.findGroups(reads, lookup, '"id"')) {
      const [ids = [], ...cells] = names.map((name) => this.readFound(lookup, keys, name))
      this.spend(ids.length * order.length)
      const found = ids.map((id, i): [number, ...LogValue[]] => [
        Number(id),
        ...cells.map((list) => list[i] ?? null),
      ])
      return sortedIds(found, order)
    }
    this.noteScan(reads)
    const rows = this.connection
      .raw<[number, ...LogValue[]]>(foundSql(lookup, keys, names.join(', ')))
      .all(...keys)
    this.spend(rows.length * order.length)
    return sortedIds(rows, order)
  }
}

/** What SQLite's `IS` finds equal has the same text: texts, numbers, and blanks. */
function groupText(values: readonly LogValue[]): string {
  // Infinity would be null.
  const items = values.map((value) =>
    typeof value === 'number' && !Number.isFinite(value) ? [String(value)] : value,
  )
  return JSON.stringify(items)
}

/** False for keys that SQLite compares in another way: beside text, or beyond 2^53, where numbers are rounded when read. */
function isGroupKey(key: LogValue, of: ColumnOfTable | undefined): boolean {
  if (!of || (key === null && hasZeroBlank(of.column))) return false
  const isExact = typeof key !== 'number' || Math.abs(key) <= Number.MAX_SAFE_INTEGER
  return isExact && (typeof key === 'string' || of.column.type.affinity !== 'TEXT')
}

/** What a blank cell is found by beside null. */
function blankOf(of: ColumnOfTable | undefined): LogValue {
  return of && hasZeroBlank(of.column) ? 0 : null
}

/** Selects what a lookup finds; there is a parameter for each key. */
function foundSql(
  { table, columns, contains }: CompiledLookup,
  keys: readonly LogValue[],
  expression: string,
): string {
  const conditions = columns.map(({ column }, i) => {
    const name = quoteId(column.id)
    if (contains[i]) return containsSql(name, typeof keys[i] === 'number' ? 'integer' : 'text')
    return keys[i] === 0 && hasZeroBlank(column)
      ? `(${name} IS ? OR ${name} IS NULL)`
      : `${name} IS ?`
  })
  const where = conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`
  return `SELECT ${expression} FROM ${quoteId(table.tableId)} ${where} ORDER BY id`
}

/** True for a list that has an item of this kind; what is no list begins otherwise. */
function containsSql(name: string, kind: 'integer' | 'text'): string {
  const list = `iif(substr(${name}, 1, 1) = '[', ${name}, '[]')`
  return `EXISTS (SELECT 1 FROM json_each(${list}) WHERE type = '${kind}' AND value = ?)`
}

/** The highest row id: a table has no more rows, unless ids were given by hand. */
export function countAtMost(connection: Connection, { tableId }: Table): number {
  return connection.pluck<number>(`SELECT coalesce(max(id), 0) FROM ${quoteId(tableId)}`).get() ?? 0
}
