import { cellsAt } from './row-blocks'
import type { CellChanges } from './recent-changes'
import type { Row } from '../../api/row'
import type { RowChange, RowsPage } from './rows-api'

/** Rows are read back one by one up to here. */
const MOST_READ_BACK = 100

/** What writes need of the rows of a grid. */
export interface WrittenRows {
  find(id: number): Row | undefined
  replace(row: Row): void
  remember(change: CellChanges): void
  apply(change: CellChanges): void
  renewSoon(onlyAtEnd: boolean): void
}

/** What writes need of the API. */
export interface WritingApi {
  change(records: readonly RowChange[]): Promise<void>
  readRows(ids: readonly number[]): Promise<Pick<RowsPage, 'rows' | 'seq'>>
}

/** Writes of one table, each after those before it: the views of a table share one, so that the last edit wins. */
export class WriteQueue {
  private last: Promise<unknown> = Promise.resolve()

  /** Does it after all that was given before; resolves or rejects as it does. */
  add(write: () => Promise<void>): Promise<void> {
    const done = this.last.then(write)
    this.last = done.catch(() => {})
    return done
  }
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

  constructor(
    private readonly rows: WrittenRows,
    private readonly api: WritingApi,
    private readonly queue: WriteQueue,
  ) {}

  /** Changes cells, after all writes before; rejects as the API refuses it, when the old values are back. */
  write(changes: readonly RowChange[]): Promise<void> {
    const ids = changes.map(({ id }) => id)
    for (const { id, fields } of changes) this.begin(id, fields)
    return this.queue.add(() => this.send(changes, ids))
  }

  /** Takes what the log tells. */
  take(change: CellChanges): void {
    const { rowIds, columns, seq } = change
    // Rows that were read before, and come after it, need it in any case.
    this.rows.remember(change)
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
    const known = new Map(read?.rows.map((row) => [row.id, row]))
    for (const id of ids)
      this.settleRow(id, {
        // What was entered stays where it is not known what became of it.
        now: known.get(id) ?? (isRefused ? undefined : this.rows.find(id)),
        seq: read?.seq ?? 0,
      })
    // What the server made of them is seen when they are read anew.
    if (!read) this.rows.renewSoon(false)
  }

  private settleRow(id: number, { now, seq }: { now: Row | undefined; seq: number }): void {
    const busy = this.busy.get(id)
    if (!busy) return
    busy.sure = now ?? busy.sure
    busy.writes--
    if (busy.writes > 0) return
    this.busy.delete(id)
    this.rows.replace(busy.sure)
    for (const change of busy.held) if (change.seq > seq) this.rows.apply(change)
  }
}
