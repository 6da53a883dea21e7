import { quoteId } from '../../quoting/quote'
import type { LogValue } from '../log/log'
import type { Table } from '../schema/schema'
import type { Connection } from '../sqlite/connections'

/** A row of a table: its id, and its cells in the order of the columns. */
export type StoredRow = readonly [id: number, ...cells: LogValue[]]

/** Rows in the first page, before their size is known, and most rows of a page. */
const FIRST_ROWS = 100
const MAX_ROWS = 2_000
/** Target size of a page. */
const PAGE_BYTES = 512 * 1024
const NUMBER_BYTES = 8

/** Which rows of a table to read. */
export interface RowSelection {
  /** Only rows with a greater id. */
  readonly after: number
  /** Only rows with these ids, ascending; undefined for all. */
  readonly ids: readonly number[] | undefined
}

/**
 * Reads the rows of a table in the order of their ids, a page at a time: as they are stored and logged, so cells that are
 * not computed yet have what they held.
 */
export class RowCursor {
  private page: readonly StoredRow[] = []
  private at = 0
  private after: number
  private rows = FIRST_ROWS
  private ended: boolean
  private readonly from: string
  private readonly columns: string

  /** @param table undefined for no rows */
  constructor(
    private readonly connection: Connection,
    table: Table | undefined,
    private readonly selection: RowSelection,
  ) {
    this.after = selection.after
    this.ended = table === undefined
    const { tableId = '', columns = [] } = table ?? {}
    this.from = `${quoteId(tableId)} NOT INDEXED`
    this.columns = ['id', ...columns.map(({ id }) => id)].map(quoteId).join(', ')
  }

  /** The next row; undefined at the end, and when `isEmpty`. */
  get row(): StoredRow | undefined {
    return this.page[this.at]
  }

  /** True when `fill` has to be called. */
  get isEmpty(): boolean {
    return this.at >= this.page.length && !this.ended
  }

  /** Moves to the following row. */
  advance(): void {
    this.at++
  }

  /** Reads the next page if `isEmpty`. */
  fill(): void {
    if (!this.isEmpty) return
    this.page = this.selection.ids ? this.readNamed(this.selection.ids) : this.readRange()
    this.at = 0
    const last = this.page.at(-1)
    if (!last) return
    this.after = last[0]
    const bytes = this.page.reduce((sum, row) => sum + sizeOf(row), 0)
    const fitting = Math.round((this.page.length * PAGE_BYTES) / bytes)
    this.rows = Math.max(1, Math.min(MAX_ROWS, fitting, this.rows * 4))
  }

  private readRange(): StoredRow[] {
    const rows = this.connection
      .raw<StoredRow>(
        `SELECT ${this.columns} FROM ${this.from}
         WHERE "id" > ? ORDER BY "id" LIMIT ?`,
      )
      .all(this.after, this.rows)
    this.ended = rows.length < this.rows
    return rows
  }

  /** Ids without a row make pages shorter, and a page may be empty before the end. */
  private readNamed(ids: readonly number[]): StoredRow[] {
    const start = indexAfter(ids, this.after)
    const some = ids.slice(start, start + this.rows)
    this.ended = start + some.length >= ids.length
    const rows = this.connection
      .raw<StoredRow>(
        `SELECT ${this.columns} FROM ${this.from}
         WHERE "id" IN (SELECT value FROM json_each(?)) ORDER BY "id"`,
      )
      .all(JSON.stringify(some))
    const last = some.at(-1)
    if (rows.length === 0 && last !== undefined) this.after = last
    return rows
  }
}

/** Approximate size of a row. */
export function sizeOf(row: readonly LogValue[]): number {
  let bytes = 0
  for (const value of row) bytes += typeof value === 'string' ? value.length : NUMBER_BYTES
  return bytes
}

/** Index of the first id that is greater, in a list that ascends. */
function indexAfter(ids: readonly number[], after: number): number {
  let low = 0
  let high = ids.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((ids[middle] ?? 0) <= after) low = middle + 1
    else high = middle
  }
  return low
}
