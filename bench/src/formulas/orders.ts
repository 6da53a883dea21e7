import { eventually } from '@sheaf/testkit/eventually'
import type { Generator } from '../load/generator'
import type { WireRequest } from '../load/http-connection'
import type { SheafTarget } from '../target'

const FILL_BATCH = 5_000
/** Rows that share each key. */
const ROWS_OF_KEY = 100
/** Different edits that a load cycles through. */
const EDITS = 2_000
/** A table of a million rows takes about half a minute. */
const COMPUTED_MS = 600_000

/** Rows for each millisecond between two questions whether all cells are computed. */
const ROWS_OF_POLL_MS = 10_000

/** Formulas of the measured columns. */
export const formulas = {
  total: '$qty * $price',
  shared: 'len(Orders.lookupRecords(key=$key))',
  /** Over all rows, which are all in group 0. */
  sum: 'SUM(Orders.lookupRecords(group=0).qty)',
  floatSum: 'SUM(Orders.lookupRecords(group=0).total)',
} as const

/** What the benchmark needs to make documents and to send writes to them. */
export interface Parts {
  readonly target: SheafTarget
  readonly generator: Generator
}

/** A document with one table, `Orders`: a quantity, a price, and a key that 100 rows share. */
export class Orders {
  private constructor(
    private readonly parts: Parts,
    private readonly doc: string,
    readonly rows: number,
  ) {}

  /** Creates the document with this many rows. */
  static async create(parts: Parts, rows: number): Promise<Orders> {
    const { rest, documentsPath } = parts.target
    const doc = await rest.post<string>(documentsPath, { body: { name: `Orders ${rows}` } })
    const types = { qty: 'Int', price: 'Numeric', key: 'Text' }
    const columns = Object.entries(types).map(([id, type]) => ({ id, fields: { type } }))
    const orders = new Orders(parts, `/api/docs/${doc.body}`, rows)
    await rest.post(`${orders.doc}/tables`, { body: { tables: [{ id: 'Orders', columns }] } })
    for (let at = 0; at < rows; at += FILL_BATCH)
      await orders.send([orders.addition(at, Math.min(FILL_BATCH, rows - at))], { calls: 1 })
    return orders
  }

  /** Adds a column; with a formula, resolves when all its cells are computed. Resolves to the milliseconds. */
  async addColumn(id: string, formula?: string): Promise<number> {
    const fields = formula === undefined ? { type: 'Numeric' } : { formula, isFormula: true }
    const start = performance.now()
    await this.change('post', '/tables/Orders/columns', { columns: [{ id, fields }] })
    if (formula !== undefined) await this.computed()
    return performance.now() - start
  }

  /** Adds a table with one row and a formula over all rows of the document. */
  async addTotal(id: string, formula: string): Promise<void> {
    const columns = [{ id: 'total', fields: { formula, isFormula: true } }]
    await this.change('post', '/tables', { tables: [{ id, columns }] })
    await this.change('post', `/tables/${id}/records`, { records: [{ fields: {} }] })
    await this.computed()
  }

  /** Removes a table. */
  async removeTable(id: string): Promise<void> {
    await this.change('post', '/apply', [['RemoveTable', id]])
  }

  /** Removes a column. */
  async removeColumn(id: string): Promise<void> {
    await this.change('delete', `/tables/Orders/columns/${id}`)
  }

  /** Changes the formula of a column; resolves to the reply, which may follow the limit of the formula. */
  async setFormula(id: string, formula: string): Promise<void> {
    const columns = [{ id, fields: { formula, isFormula: true } }]
    await this.change('patch', '/tables/Orders/columns', { columns })
  }

  /** Edits of the quantity of one row each. */
  quantityEdits(): WireRequest[] {
    return Array.from({ length: EDITS }, (_, turn) => this.quantityEdit(turn))
  }

  /** One of these edits. */
  quantityEdit(turn: number): WireRequest {
    return this.edit(turn, { qty: (turn * 7) % 1_000 })
  }

  /** Edits of the key of one row each: the row moves from 100 rows that share it to 100 others, and later back. */
  keyEdits(): WireRequest[] {
    const keys = Math.ceil(this.rows / ROWS_OF_KEY)
    return Array.from({ length: EDITS }, (_, turn) => {
      const key = keyAt(this.rowOf(turn) + (turn % 2 ? 0 : keys >> 1), this.rows)
      return this.edit(turn, { key })
    })
  }

  /** Additions of one row each. */
  additions(): WireRequest[] {
    return Array.from({ length: EDITS }, (_, turn) => this.addition(turn, 1))
  }

  /** Sends the requests in turn; resolves to the latencies. */
  async send(
    requests: readonly WireRequest[],
    load: { readonly ms?: number; readonly calls?: number; readonly clients?: number },
  ): Promise<readonly number[]> {
    const { target, generator } = this.parts
    const { latencies } = await generator.run({
      port: target.port,
      clients: 1,
      ...load,
      requests,
    })
    return latencies
  }

  /** Each row is edited twice in a row, so that a second value follows the first. */
  private rowOf(turn: number): number {
    return ((turn >> 1) * 7_919) % this.rows
  }

  private edit(turn: number, fields: Record<string, unknown>): WireRequest {
    return this.request('PATCH', { records: [{ id: this.rowOf(turn) + 1, fields }] })
  }

  private addition(start: number, count: number): WireRequest {
    const records = Array.from({ length: count }, (_, offset) => {
      const row = start + offset
      const price = ((row * 7_919) % 100_000) / 100
      return { fields: { qty: (row * 31) % 1_000, price, key: keyAt(row, this.rows) } }
    })
    return this.request('POST', { records })
  }

  private request(method: string, body: unknown): WireRequest {
    const { headers } = this.parts.target
    const path = `${this.doc}/tables/Orders/records`
    return { method, path, headers, body: JSON.stringify(body) }
  }

  private async change(method: 'post' | 'patch' | 'delete', path: string, body?: unknown) {
    const { status, text } = await this.parts.target.rest[method](this.doc + path, { body })
    if (status !== 200) throw new Error(`answered ${status}: ${text}`)
  }

  private async computed(): Promise<void> {
    const { rest } = this.parts.target
    const isComputed = async () => {
      const { body } = await rest.get<{ columns: Timing[] }>(`${this.doc}/timing`)
      return body.columns.every(({ pendingRows, stopped }) => pendingRows === 0 && !stopped)
    }
    // Each question counts the pending rows, which takes milliseconds in a large table.
    const everyMs = Math.max(10, this.rows / ROWS_OF_POLL_MS)
    await eventually(isComputed, { timeoutMs: COMPUTED_MS, everyMs })
  }
}

interface Timing {
  readonly pendingRows: number
  readonly stopped: string | null
}

function keyAt(row: number, rows: number): string {
  return `key ${row % Math.ceil(rows / ROWS_OF_KEY)}`
}
