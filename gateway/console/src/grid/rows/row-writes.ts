import type { Row } from '../../api/resources'
import { cellsAt } from './row-blocks'
import type { CellChanges } from './recent-changes'
import type { RowChange, RowsPage } from './rows-api'

/** Larger writes are not read back row by row; the grid is refreshed instead. */
const MAX_READ_BACK = 100

/** The rows of a grid, as far as writes need them. */
export interface WrittenRows {
  find(id: number): Row | undefined
  replace(row: Row): void
  remember(change: CellChanges): void
  apply(change: CellChanges): void
  scheduleRefresh(onlyAtEnd: boolean): void
}

/** The API, as far as writes need it. */
export interface WritingApi {
  /** Resolves to the position of the change in the log; undefined if nothing changed. */
  change(records: readonly RowChange[]): Promise<number | undefined>
  readRows(ids: readonly number[]): Promise<Pick<RowsPage, 'rows' | 'seq'>>
}

/** Serializes the writes of a table. All views of the table share a queue, so that the last edit wins. */
export class WriteQueue {
  private last: Promise<unknown> = Promise.resolve()

  /** Runs a write after all writes added before it. Settles as the write does. */
  add<Result>(write: () => Promise<Result>): Promise<Result> {
    const done = this.last.then(write)
    this.last = done.catch(() => {})
    return done
  }
}

interface PendingRow {
  writes: number
  /** Changes of the log that arrived in the meantime. They may be older than the pending write. */
  deferred: CellChanges[]
  /** The last known state on the server. */
  confirmed: Row
}

/**
 * Writes cells optimistically: a cell shows the entered value at once, and the stored value when the server has
 * responded. Changes of the log to the same row are deferred until then, so that cells do not flicker.
 */
export class RowWrites {
  private readonly pending = new Map<number, PendingRow>()

  constructor(
    private readonly rows: WrittenRows,
    private readonly api: WritingApi,
    private readonly queue: WriteQueue,
  ) {}

  /**
   * Changes cells, after all earlier writes. Resolves to the position of the change in the log; undefined if nothing changed. If
   * the API rejects the change, restores the old values, then rejects.
   */
  write(changes: readonly RowChange[]): Promise<number | undefined> {
    const ids = changes.map(({ id }) => id)
    for (const { id, fields } of changes) this.begin(id, fields)
    return this.queue.add(() => this.send(changes, ids))
  }

  /** Applies a change of the log. */
  applyChange(change: CellChanges): void {
    const { rowIds, columns, seq } = change
    // Pages that were requested before the change and arrive after it need it in any case.
    this.rows.remember(change)
    if (!rowIds.some((id) => this.pending.has(id))) return this.rows.apply(change)
    rowIds.forEach((id, index) => {
      const cells = cellsAt(columns, index)
      const one = {
        seq,
        rowIds: [id],
        columns: Object.fromEntries(Object.entries(cells).map(([col, value]) => [col, [value]])),
      }
      const pending = this.pending.get(id)
      if (pending) pending.deferred.push(one)
      else this.rows.apply(one)
    })
  }

  private begin(id: number, fields: RowChange['fields']): void {
    const row = this.rows.find(id)
    if (!row) return
    const pending = this.pending.get(id) ?? { writes: 0, deferred: [], confirmed: row }
    pending.writes++
    this.pending.set(id, pending)
    this.rows.replace({ ...row, fields: { ...row.fields, ...fields } })
  }

  private async send(
    changes: readonly RowChange[],
    ids: readonly number[],
  ): Promise<number | undefined> {
    let failure: { error: unknown } | undefined
    let seq: number | undefined
    try {
      seq = await this.api.change(changes)
    } catch (error) {
      failure = { error }
    }
    await this.settle(ids, failure !== undefined)
    if (failure) throw failure.error
    return seq
  }

  /** Shows the stored rows, unless further writes to them are pending. */
  private async settle(ids: readonly number[], hasFailed: boolean): Promise<void> {
    const isMany = ids.length > MAX_READ_BACK
    const read = isMany ? undefined : await this.api.readRows(ids).catch(() => undefined)
    const known = new Map(read?.rows.map((row) => [row.id, row]))
    for (const id of ids)
      this.settleRow(id, {
        // The entered value stays if the stored one is unknown.
        now: known.get(id) ?? (hasFailed ? undefined : this.rows.find(id)),
        seq: read?.seq ?? 0,
      })
    // The refresh shows the stored values.
    if (!read) this.rows.scheduleRefresh(false)
  }

  private settleRow(id: number, { now, seq }: { now: Row | undefined; seq: number }): void {
    const pending = this.pending.get(id)
    if (!pending) return
    pending.confirmed = now ?? pending.confirmed
    pending.writes--
    if (pending.writes > 0) return
    this.pending.delete(id)
    this.rows.replace(pending.confirmed)
    for (const change of pending.deferred) if (change.seq > seq) this.rows.apply(change)
  }
}
