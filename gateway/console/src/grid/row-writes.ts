import { cellsAt } from './row-blocks'
import type { CellChanges } from './recent-changes'
import type { Row } from './row'
import type { RowChange, RowsPage } from './rows-api'

/** Rows are read back one by one up to here. */
const MOST_READ_BACK = 100

/** What writes need of the rows of a grid. */
export interface WrittenRows {
  find(id: number): Row | undefined
  replace(row: Row): void
  apply(change: CellChanges): void
  renewSoon(onlyAtEnd: boolean): void
}

/** What writes need of the API. */
export interface WritingApi {
  change(records: readonly RowChange[]): Promise<void>
  readRows(ids: readonly number[]): Promise<Pick<RowsPage, 'rows' | 'seq'>>
}

interface BusyRow {
  writes: number
  /** What the log told meanwhile; it may be older than what is being written. */
  held: CellChanges[]
  /** As the server has it, so far as is known. */
  sure: Row
}

/**
 * Writes cells: they show at once what was entered, and what the server made of it when it has answered. What the log
 * tells of a row waits until then, so that nothing flickers.
 */
export class RowWrites {
  private readonly busy = new Map<number, BusyRow>()
  private last: Promise<unknown> = Promise.resolve()

  constructor(
    private readonly rows: WrittenRows,
    private readonly api: WritingApi,
  ) {}

  /** Changes cells, after all writes before; rejects as the API refuses it, when the old values are back. */
  write(changes: readonly RowChange[]): Promise<void> {
    const ids = changes.map(({ id }) => id)
    for (const { id, fields } of changes) this.begin(id, fields)
    const write = this.last.then(() => this.send(changes, ids))
    this.last = write.catch(() => {})
    return write
  }

  /** Takes what the log tells. */
  take(change: CellChanges): void {
    const { rowIds, columns, seq } = change
    if (!rowIds.some((id) => this.busy.has(id))) return this.rows.apply(change)
    rowIds.forEach((id, place) => {
      const cells = cellsAt(columns, place)
      const one = {
        seq,
        rowIds: [id],
        columns: Object.fromEntries(Object.entries(cells).map(([col, value]) => [col, [value]])),
      }
      const busy = this.busy.get(id)
      if (busy) busy.held.push(one)
      else this.rows.apply(one)
    })
  }

  private begin(id: number, fields: RowChange['fields']): void {
    const row = this.rows.find(id)
    if (!row) return
    const busy = this.busy.get(id) ?? { writes: 0, held: [], sure: row }
    busy.writes++
    this.busy.set(id, busy)
    this.rows.replace({ ...row, fields: { ...row.fields, ...fields } })
  }

  private async send(changes: readonly RowChange[], ids: readonly number[]): Promise<void> {
    let refusal: { error: unknown } | undefined
    try {
      await this.api.change(changes)
    } catch (error) {
      refusal = { error }
    }
    await this.settle(ids, refusal !== undefined)
    if (refusal) throw refusal.error
  }

  /** Shows rows as the server has them now, unless more of them is being written. */
  private async settle(ids: readonly number[], isRefused: boolean): Promise<void> {
    const isMany = ids.length > MOST_READ_BACK
    const read = isMany ? undefined : await this.api.readRows(ids).catch(() => undefined)
    for (const id of ids) {
      const busy = this.busy.get(id)
      if (!busy) continue
      const now = read?.rows.find((row) => row.id === id)
      if (now) busy.sure = now
      else if (!isRefused) busy.sure = this.rows.find(id) ?? busy.sure
      busy.writes--
      if (busy.writes > 0) continue
      this.busy.delete(id)
      this.rows.replace(busy.sure)
      for (const change of busy.held) if (change.seq > (read?.seq ?? 0)) this.rows.apply(change)
    }
    // What the server made of them is seen when they are read anew.
    if (!read) this.rows.renewSoon(false)
  }
}
