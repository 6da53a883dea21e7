import type { Order } from '../../query/sort'
import { quoteId, quoteText } from '../../quoting/quote'
import { requireRow, type Connection } from '../sqlite/connections'
import type { Operation } from '../log/log'
import type { Table } from '../schema/schema'
import {
  dropOrder,
  dropTableOrders,
  isKeepable,
  keepStep,
  listOrderTables,
  openKeptOrders,
  type KeepStep,
  type KeptOrder,
} from './kept-orders'

/** Rules by which automatic indexes are built and dropped. */
export interface IndexRules {
  /** Maximum for each table; 0 for none. */
  readonly maxPerTable: number
  /** Rows of a table below which filters scan it: that takes about a millisecond. */
  readonly minRows: number
  /** Number of full scans of a table after which an index is due. */
  readonly minScans: number
  /** Milliseconds without use after which an index is dropped. */
  readonly unusedMs: number
}

/** The default rules, except for the maximum. A build takes half a second for a million rows. */
export const indexRules = { minRows: 20_000, minScans: 3, unusedMs: 14 * 24 * 3600 * 1000 }

/** Larger tables get no index, because the document's writes would wait for the build too long. */
const MAX_ROWS = 4_000_000
/** Rows in the sample that is examined before an index is built. */
const SAMPLE_ROWS = 2_000
/** An index does not help when more than this fraction of the sample passes the filter. */
const MAX_SHARE = 0.05
/** Cost of writing a row into an index, in rows examined by a filter. */
const WRITE_COST = 50
/** Filters and orders whose reads are counted at most. */
const MAX_COUNTED = 1_000
/** Reads that no index of their table served, after which one that was not used meanwhile makes room for another. */
const MAX_PASSED = 30
/** Interval at which use is recorded in the file, so that it survives a restart. */
const NOTE_MS = 24 * 3600 * 1000

const PREFIX = '_sheaf_auto_'
const CREATE_USES =
  'CREATE TABLE IF NOT EXISTS _sheaf_indexes (name TEXT PRIMARY KEY, used_at INTEGER NOT NULL)'

interface AutoIndex {
  readonly name: string
  readonly tableRef: number
  readonly columnRefs: readonly number[]
  /** For an order that is kept; absent for the index of a column. */
  readonly order?: KeptOrder
  /** Epoch milliseconds of the last recorded use. */
  notedAt: number
  usedAt: number
  /** Savings of filters minus cost of writes, in rows examined; an index below zero is dropped. */
  balance: number
  /** Reads of the table since the last use that no index served. */
  passed: number
}

/** A step that adds or drops indexes, or keeps an order. */
export type IndexStep =
  | ({ readonly kind: 'keep' } & KeepStep)
  /** Statements to run in order, in a transaction of their own. */
  | { readonly kind: 'build'; readonly statements: readonly string[] }
  /** Function to run as one write of the document. */
  | { readonly kind: 'write'; readonly statements: readonly string[] }

/**
 * The automatic indexes of one document: on columns of big tables that filters use, and orders of big tables that pages
 * are read in. The existing ones are recorded in the file, by their names and in `_sheaf_indexes`; their benefit is
 * counted in memory while the document is open. They change no result, because reads of records use NOT INDEXED and query
 * the indexes separately.
 */
export class AutoIndexes {
  private indexes = new Map<string, AutoIndex>()
  /** Filters without an index, by what would be its name. */
  private readonly scans = new Map<string, number>()
  /** Orders to be dropped. Once here, an order is not used again. */
  private readonly outdated = new Set<string>()
  private beingFilled: string | undefined

  constructor(
    private readonly rules: IndexRules,
    connection: Connection,
  ) {
    this.reload(connection)
  }

  /** Reads the existing indexes. Must follow every change of the schema and every step. */
  reload(connection: Connection): void {
    const { orders, outdated } = openKeptOrders(connection, this.beingFilled)
    const present = new Set([...outdated, ...orders.map(({ name }) => name)])
    for (const name of this.outdated) if (!present.has(name)) this.outdated.delete(name)
    for (const name of outdated) this.outdated.add(name)
    const usable = orders.filter(({ name }) => !this.outdated.has(name))
    const found = readIndexes(connection, usable, this.rules.minRows)
    for (const index of found) {
      const known = this.indexes.get(index.name)
      if (!known) continue
      index.usedAt = known.usedAt
      index.balance = known.balance
      index.passed = known.passed
    }
    this.indexes = new Map(found.map((index) => [index.name, index]))
  }

  /** True when there is an index on the column. */
  has(table: Table, columnRef: number): boolean {
    return this.indexes.has(nameOf(table.ref, columnRef))
  }

  /** Records that an index saved a filter from examining this many rows. */
  used(table: Table, columnRef: number, rows: number): void {
    const index = this.indexes.get(nameOf(table.ref, columnRef))
    if (index) this.noteUse(index, rows)
  }

  private noteUse(index: AutoIndex, rows: number): void {
    index.usedAt = Date.now()
    index.passed = 0
    // The limit allows dropping an index that was useful long ago and only costs now.
    index.balance = Math.min(index.balance + rows, rows * 1000)
  }

  /** Records that a filter examined all rows. True when an index is due: then `buildStep` may return a step. */
  scanned(table: Table, columnRef: number, rows: number): boolean {
    return this.isDue(table, nameOf(table.ref, columnRef), rows)
  }

  private isDue(table: Table, name: string, rows: number): boolean {
    if (rows < this.rules.minRows || rows > MAX_ROWS || this.rules.maxPerTable === 0) return false
    for (const index of this.ofTable(table)) index.passed++
    const scans = (this.scans.get(name) ?? 0) + 1
    this.scans.delete(name)
    this.scans.set(name, scans >= this.rules.minScans ? 0 : scans)
    const oldest = this.scans.keys().next()
    if (this.scans.size > MAX_COUNTED && !oldest.done) this.scans.delete(oldest.value)
    return scans >= this.rules.minScans
  }

  /** The kept order of a table in which a read wants its rows. */
  findOrder(table: Table, order: Order): KeptOrder | undefined {
    for (const { tableRef, order: kept } of this.indexes.values())
      if (tableRef === table.ref && kept?.sql === order.sql && kept.isFilled) return kept
    return undefined
  }

  /** Records that a kept order saved a read from sorting this many rows. */
  usedOrder({ name }: KeptOrder, rows: number): void {
    const index = this.indexes.get(name)
    if (index) this.noteUse(index, rows)
  }

  /** Records that a page was read by sorting all rows. Returns the step that keeps the order, or makes room, when due. */
  sorted(connection: Connection, table: Table, order: Order, rows: number): IndexStep | undefined {
    if (!this.isDue(table, `${table.ref} ${order.sql}`, rows)) return undefined
    if (!isKeepable(table, order)) return undefined
    if (this.isFull(table)) return this.makeRoom(table)
    const step = keepStep(connection, table, order)
    if (!step) return undefined
    const finish = [...step.finish, CREATE_USES, noteUse(step.name, Date.now())]
    return { ...step, kind: 'keep', finish }
  }

  /** Must precede the statements that create an order: it is maintained from then on, and used when it is filled. */
  beginFilling(name: string): void {
    this.beingFilled = name
  }

  /** True while the order that is being filled is still to be kept. */
  isFilling(connection: Connection, name: string): boolean {
    const row = connection.pluck('SELECT 1 FROM _sheaf_orders WHERE name = ?').get(name)
    return row !== undefined && !this.outdated.has(name)
  }

  /** Must follow the filling of an order, also when it failed. */
  endFilling(): void {
    this.beingFilled = undefined
  }

  /** True when there are orders that cannot be used any more. */
  get hasOutdated(): boolean {
    return this.outdated.size > 0
  }

  /** Counts the cost of written rows. True when an index has become a burden. */
  wrote(operations: readonly Operation[]): boolean {
    let burden = false
    if (this.indexes.size === 0) return burden
    for (const operation of operations) {
      if (!('rowIds' in operation)) continue
      const columns = new Set(operation.columns.map(({ ref }) => ref))
      for (const index of this.indexes.values()) {
        if (index.tableRef !== operation.tableRef) continue
        // Every row has a place in an order.
        const isMoved = index.order !== undefined && operation.kind !== 'update_rows'
        if (!isMoved && !index.columnRefs.some((ref) => columns.has(ref))) continue
        index.balance -= operation.rowIds.length * WRITE_COST
        burden ||= index.balance < 0
      }
    }
    return burden
  }

  /**
   * The step that builds the index, or makes room for it; undefined when the requested values are too common for it to
   * help, or the others of the table are in use.
   */
  buildStep(
    connection: Connection,
    table: Table,
    column: { readonly id: string; readonly ref: number },
    condition: { readonly sql: string; readonly params: readonly unknown[] },
  ): IndexStep | undefined {
    const from = quoteId(table.tableId)
    const passed = requireRow(
      connection
        .pluck<number>(
          `SELECT count(*) FROM (SELECT * FROM ${from} ORDER BY id DESC LIMIT ${SAMPLE_ROWS})
         WHERE ${condition.sql}`,
        )
        .get(...condition.params),
    )
    if (passed > SAMPLE_ROWS * MAX_SHARE) return undefined
    if (this.isFull(table)) return this.makeRoom(table)
    const name = nameOf(table.ref, column.ref)
    return {
      kind: 'build',
      statements: [
        'BEGIN IMMEDIATE',
        CREATE_USES,
        `CREATE INDEX IF NOT EXISTS ${quoteId(name)} ON ${from} (${quoteId(column.id)})`,
        noteUse(name, Date.now()),
        'COMMIT',
      ],
    }
  }

  /** The step that drops burdensome and long unused indexes, and records the use of the others. */
  tidyStep(): IndexStep | undefined {
    const now = Date.now()
    const statements: string[] = []
    for (const { name, balance, usedAt, notedAt, order } of this.indexes.values())
      if (balance < 0 || usedAt < now - this.rules.unusedMs) {
        if (order) this.outdated.add(name)
        else statements.push(...dropIndex(name))
      } else if (usedAt > notedAt + NOTE_MS) statements.push(noteUse(name, usedAt))
    for (const name of this.outdated) {
      this.indexes.delete(name)
      statements.push(
        ...dropOrder(name),
        `DELETE FROM _sheaf_indexes WHERE name = ${quoteText(name)}`,
      )
    }
    return statements.length > 0
      ? { kind: 'write', statements: [CREATE_USES, ...statements] }
      : undefined
  }

  private isFull(table: Table): boolean {
    return this.ofTable(table).length >= this.rules.maxPerTable
  }

  private ofTable(table: Table): AutoIndex[] {
    return [...this.indexes.values()].filter(({ tableRef }) => tableRef === table.ref)
  }

  /** The step that drops the index of the table that was passed over most, if that was often enough. */
  private makeRoom(table: Table): IndexStep | undefined {
    const [most] = this.ofTable(table).sort((a, b) => b.passed - a.passed)
    if (!most || most.passed < MAX_PASSED) return undefined
    most.balance = -1
    return this.tidyStep()
  }
}

/**
 * Drops the automatic index of a column and the kept orders of its table, without which the column cannot be dropped. Part
 * of the write that drops the column.
 */
export function dropColumnIndex(connection: Connection, tableRef: number, columnRef: number): void {
  connection.db.exec(`DROP INDEX IF EXISTS ${quoteId(nameOf(tableRef, columnRef))}`)
  dropTableOrders(connection, tableRef)
}

/** Names of the automatic indexes and kept orders of a file, and of the table of their uses. */
export function listLocalNames(connection: Connection): ReadonlySet<string> {
  return new Set([...listAutoIndexes(connection), ...listOrderTables(connection), '_sheaf_indexes'])
}

/** The name contains refs, which never change. */
function nameOf(tableRef: number, columnRef: number): string {
  return `${PREFIX}${tableRef}_${columnRef}`
}

function noteUse(name: string, at: number): string {
  return `INSERT OR REPLACE INTO _sheaf_indexes VALUES (${quoteText(name)}, ${at})`
}

function dropIndex(name: string): string[] {
  return [
    `DROP INDEX IF EXISTS ${quoteId(name)}`,
    `DELETE FROM _sheaf_indexes WHERE name = ${quoteText(name)}`,
  ]
}

function listAutoIndexes(connection: Connection): string[] {
  return connection
    .pluck<string>(`SELECT name FROM sqlite_master WHERE type = 'index' AND name GLOB '${PREFIX}*'`)
    .all()
}

function readIndexes(
  connection: Connection,
  orders: readonly KeptOrder[],
  credit: number,
): AutoIndex[] {
  const names = listAutoIndexes(connection)
  if (names.length === 0 && orders.length === 0) return []
  const used = new Map(readUses(connection))
  const columns = names.map((name) => {
    const [tableRef = 0, columnRef = 0] = name.slice(PREFIX.length).split('_').map(Number)
    return { name, tableRef, columnRefs: [columnRef] }
  })
  const kept = orders.map((order) => ({ ...order, order }))
  return [...columns, ...kept].map((index) => {
    const usedAt = used.get(index.name) ?? 0
    return { ...index, notedAt: usedAt, usedAt, balance: credit * WRITE_COST, passed: 0 }
  })
}

function readUses(connection: Connection): [string, number][] {
  const exists = connection.pluck("SELECT 1 FROM sqlite_schema WHERE name = '_sheaf_indexes'").get()
  return exists === undefined
    ? []
    : connection.raw<[string, number]>('SELECT name, used_at FROM _sheaf_indexes').all()
}
