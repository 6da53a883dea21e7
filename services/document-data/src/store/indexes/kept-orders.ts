import type { KeyValue, Position } from '../../query/cursor'
import { orderKey, ORDER_KEY_VERSION } from '../../query/order-key'
import { orderTerms, type Order } from '../../query/sort'
import type { SortKey } from '../../query/sort'
import { quoteId, quoteText } from '../../quoting/quote'
import { readSchema, type Schema, type Table } from '../schema/schema'
import { requireRow, type Connection } from '../sqlite/connections'

/*
 * Orders of tables that are kept in the file: a table `_sheaf_order_<table>_<number>(key, id)` for each, without rowid,
 * and a row in `_sheaf_orders`. Triggers of the connection that writes maintain the keys; as temporary ones they may call
 * functions, and no other program that opens the file meets them.
 */

const PREFIX = '_sheaf_order_'
/** Terms of an order that is kept at most. */
const MAX_TERMS = 10
/** Mean bytes of the keys of a sample above which an order is not kept. */
const MAX_KEY_BYTES = 400
const SAMPLE_ROWS = 500
/** Rows whose keys are made in one transaction at least, for which writes wait: some 100 ms. */
const MIN_FILL_ROWS = 20_000
/** Transactions in which an order is filled at most: each may write every page of the order again. */
const MAX_FILLS = 8

/** An order of a table that is kept. */
export interface KeptOrder {
  readonly name: string
  readonly tableRef: number
  /** Columns whose cells decide the order. */
  readonly columnRefs: readonly number[]
  /** The terms as SQL: those of a read in this order, when no cell of its columns is pending. */
  readonly sql: string
  /** A character for each term in the key, `d` for descending. */
  readonly directions: string
  /** False while rows are missing. */
  readonly isFilled: boolean
}

/** True for the table of a kept order. */
export function isOrderTable(name: string): boolean {
  return name.startsWith(PREFIX)
}

/** Names of the tables of the orders that a file keeps. */
export function listOrderTables(connection: Connection): string[] {
  return connection
    .pluck<string>(`SELECT name FROM sqlite_schema WHERE type = 'table' AND name GLOB '${PREFIX}*'`)
    .all()
}

/**
 * True when an order of a table can be kept: choices in it would have to be bound, and of a formula column all cells must
 * be computed.
 */
export function isKeepable(table: Table, { keys, terms, params, sql }: Order): boolean {
  const isShort = terms.length <= MAX_TERMS && params.length === 0
  return isShort && orderTerms(computed(table), keys, '').sql === sql
}

/** True when the file, as the connection sees it, keeps this order of all rows. */
export function isKept(connection: Connection, { name, sql }: KeptOrder): boolean {
  const row = connection
    .pluck('SELECT 1 FROM _sheaf_orders WHERE name = ? AND terms = ? AND filled = 1')
    .get(name, sql)
  return row !== undefined
}

/** The position of a row as the key of the order, and its id. */
interface OrderPlace {
  readonly key: Buffer
  readonly id: KeyValue
}

/** Ids of the rows after a position, in the order. */
export function readKeptPage(
  connection: Connection,
  { name, directions }: KeptOrder,
  { after, limit, offset }: { after: Position | undefined; limit: number; offset: number },
): number[] {
  const start: OrderPlace | undefined = after && {
    key: orderKey(directions, after),
    id: after.at(-1) ?? null,
  }
  return connection
    .pluck<number>(
      `SELECT id FROM ${quoteId(name)} ${start ? 'WHERE (key, id) > (?, ?)' : ''}
       ORDER BY key, id LIMIT ? OFFSET ?`,
    )
    .all(...(start ? [start.key, start.id] : []), limit, offset)
}

/** The statements that keep an order, run by the connection that writes. */
export interface KeepStep {
  readonly name: string
  /** `schema_version` of the file for which the statements were made. */
  readonly schemaVersion: number
  readonly create: readonly string[]
  /** Each in a transaction of its own, by any connection. */
  readonly fill: readonly string[]
  readonly finish: readonly string[]
}

/** The step that keeps an order from now on; undefined when its keys would be too long. */
export function keepStep(connection: Connection, table: Table, order: Order): KeepStep | undefined {
  const { keys } = order
  const key = keySql(order)
  const from = quoteId(table.tableId)
  const mean = connection
    .pluck<number | null>(
      `SELECT avg(length(${key})) FROM (SELECT * FROM ${from} ORDER BY id DESC LIMIT ${SAMPLE_ROWS})`,
    )
    .get()
  if ((mean ?? 0) > MAX_KEY_BYTES) return undefined
  const name = freeName(connection, table.ref)
  const last = requireRow(connection.pluck<number | null>(`SELECT max(id) FROM ${from}`).get()) ?? 0
  const fill: string[] = []
  const rows = Math.max(MIN_FILL_ROWS, Math.ceil(last / MAX_FILLS))
  for (let at = 0; at < last; at += rows)
    fill.push(
      `INSERT OR IGNORE INTO ${quoteId(name)} SELECT ${key}, id FROM ${from} NOT INDEXED
       WHERE id > ${at} AND id <= ${at + rows} ORDER BY 1`,
    )
  const row = [name, JSON.stringify(keys), order.sql, ORDER_KEY_VERSION].map(quoteText).join(', ')
  return {
    name,
    schemaVersion: readSchemaVersion(connection),
    create: [
      `CREATE TABLE ${quoteId(name)} (key, id INTEGER, PRIMARY KEY (key, id)) WITHOUT ROWID`,
      `INSERT INTO _sheaf_orders (name, keys, terms, version, filled) VALUES (${row}, 0)`,
      ...triggersOf(name, table, keys),
    ],
    fill,
    finish: [`UPDATE _sheaf_orders SET filled = 1 WHERE name = ${quoteText(name)}`],
  }
}

/** The version of the schema that SQLite counts in the file. */
export function readSchemaVersion({ db }: Connection): number {
  return Number(db.pragma('schema_version', { simple: true }))
}

/** The statements that drop an order. */
export function dropOrder(name: string): string[] {
  return [
    ...['add', 'update', 'remove'].map(
      (kind) => `DROP TRIGGER IF EXISTS temp.${quoteId(`${name}_${kind}`)}`,
    ),
    `DROP TABLE IF EXISTS ${quoteId(name)}`,
    `DELETE FROM _sheaf_orders WHERE name = ${quoteText(name)}`,
  ]
}

/**
 * Drops the orders of a table. Part of every write that drops a column of the table, rewrites it as a whole or drops it:
 * triggers would prevent that or vanish with it.
 */
export function dropTableOrders(connection: Connection, tableRef: number): void {
  for (const name of listOrderTables(connection))
    if (tableOf(name) === tableRef) for (const sql of dropOrder(name)) connection.db.exec(sql)
}

/**
 * Reads the orders that the file keeps, and makes the triggers that maintain them on this connection. Also returns the
 * names of those that no longer suit the columns of their table, or were not completed.
 * @param beingFilled the name of the order that is being filled
 */
export function openKeptOrders(
  connection: Connection,
  beingFilled: string | undefined,
): { orders: KeptOrder[]; outdated: string[] } {
  const rows = connection.prepare<OrderRow>('SELECT * FROM _sheaf_orders ORDER BY name').all()
  if (rows.length === 0) return { orders: [], outdated: [] }
  const schema = readSchema(connection)
  const orders: KeptOrder[] = []
  const outdated: string[] = []
  for (const row of rows) {
    const table = row.filled || row.name === beingFilled ? findTable(row, schema) : undefined
    if (!table) outdated.push(row.name)
    else {
      const keys = JSON.parse(row.keys) as SortKey[]
      for (const sql of triggersOf(row.name, table, keys)) connection.db.exec(sql)
      orders.push(toKeptOrder(row, table, keys))
    }
  }
  return { orders, outdated }
}

interface OrderRow {
  readonly name: string
  readonly keys: string
  readonly terms: string
  readonly version: string
  readonly filled: number
}

/** The table of an order whose keys are still those of its columns. */
function findTable({ name, keys, terms, version }: OrderRow, schema: Schema): Table | undefined {
  const table = schema.findByRef(tableOf(name))
  const now = table && orderTerms(computed(table), JSON.parse(keys) as SortKey[], '')
  return version === ORDER_KEY_VERSION && now?.sql === terms ? table : undefined
}

function toKeptOrder({ name, terms, filled }: OrderRow, table: Table, keys: SortKey[]): KeptOrder {
  return {
    name,
    tableRef: table.ref,
    columnRefs: columnsOf(table, keys).map(({ ref }) => ref),
    sql: terms,
    directions: directionsOf(orderTerms(computed(table), keys, '')),
    isFilled: filled !== 0,
  }
}

/** The table as if all its cells were computed: keys are made of what is stored. */
function computed(table: Table): Table {
  const columns = table.columns.map((column) => ({
    ...column,
    pendingAfter: undefined,
    stopped: undefined,
  }))
  return { ...table, columns }
}

function columnsOf(table: Table, keys: readonly SortKey[]) {
  const ids = new Set([...keys.map(({ column }) => column), 'manualSort'])
  return table.columns.filter(({ id }) => ids.has(id))
}

/** The id follows the key in ascending order, so a last term that is the ascending id is not part of the key. */
function keyTerms({ terms }: Order) {
  return terms.at(-1)?.descending === false ? terms.slice(0, -1) : terms
}

function directionsOf(order: Order): string {
  return keyTerms(order)
    .map(({ descending }) => (descending ? 'd' : 'a'))
    .join('')
}

function keySql(order: Order): string {
  const terms = keyTerms(order).map(({ sql }) => sql)
  return `sheaf_order_key(${[quoteText(directionsOf(order)), ...terms].join(', ')})`
}

function triggersOf(name: string, table: Table, keys: readonly SortKey[]): string[] {
  const keyOf = (row: string) => keySql(orderTerms(computed(table), keys, `${row}.`))
  const order = `main.${quoteId(name)}`
  const add = `INSERT OR IGNORE INTO ${order} VALUES (${keyOf('NEW')}, NEW."id");`
  const remove = `DELETE FROM ${order} WHERE key = ${keyOf('OLD')} AND id = OLD."id";`
  const ids = ['id', ...columnsOf(table, keys).map(({ id }) => id)].map(quoteId)
  const changes = ids.map((id) => `OLD.${id} IS NOT NEW.${id}`).join(' OR ')
  const trigger = (kind: string, event: string, body: string) =>
    `CREATE TEMP TRIGGER IF NOT EXISTS ${quoteId(`${name}_${kind}`)} AFTER ${event} BEGIN ${body} END`
  const on = `ON main.${quoteId(table.tableId)}`
  return [
    trigger('add', `INSERT ${on}`, add),
    trigger('update', `UPDATE OF ${ids.join(', ')} ${on} WHEN ${changes}`, `${remove} ${add}`),
    trigger('remove', `DELETE ${on}`, remove),
  ]
}

function tableOf(name: string): number {
  return Number(name.slice(PREFIX.length).split('_')[0])
}

function freeName(connection: Connection, tableRef: number): string {
  const taken = new Set(listOrderTables(connection))
  for (let number = 1; ; number++) {
    const name = `${PREFIX}${tableRef}_${number}`
    if (!taken.has(name)) return name
  }
}
