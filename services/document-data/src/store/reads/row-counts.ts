import type { Operation } from '../log/log'

/** Tables of a document whose number of rows is kept. */
const MAX_TABLES = 1_000
/** Latest changes of numbers that are remembered, for counts that began before them. */
const MAX_RECENT = 1_000

interface CountChange {
  readonly seq: number
  readonly tableRef: number
  readonly by: number
}

/** A committed write. */
interface CommittedEntry {
  readonly seq: number
  readonly operations: readonly Operation[]
}

/**
 * The numbers of rows of the tables of a document, each known from the first time it was counted on: SQLite examines a whole table to
 * count it.
 */
export class RowCounts {
  private readonly counts = new Map<number, number>()
  private readonly recent: CountChange[] = []
  /** All changes after this log position are among the recent ones. */
  private since: number

  /** @param seq the log position of the committed state */
  constructor(seq: number) {
    this.since = seq
  }

  /** The number of rows of a table in the committed state; undefined if it is not known. */
  get(tableRef: number): number | undefined {
    return this.counts.get(tableRef)
  }

  /** Takes over that a table had this many rows at a log position. */
  learn(tableRef: number, seq: number, total: number): void {
    if (seq < this.since) return
    const later = this.recent.filter((change) => change.tableRef === tableRef && change.seq > seq)
    this.counts.delete(tableRef)
    this.counts.set(
      tableRef,
      later.reduce((sum, { by }) => sum + by, total),
    )
    const [oldest] = this.counts.keys()
    if (this.counts.size > MAX_TABLES && oldest !== undefined) this.counts.delete(oldest)
  }

  /** Must be called with all writes of each commit, in their order. */
  committed(entries: readonly CommittedEntry[]): void {
    for (const { seq, operations } of entries)
      for (const operation of operations) {
        const { kind, tableRef } = operation
        const by = growth(operation)
        // A removed table can come back with its rows.
        if (kind === 'add_table' || kind === 'remove_table') this.forget(tableRef, seq)
        else if (by !== 0) this.change({ seq, tableRef, by })
      }
  }

  private forget(tableRef: number, seq: number): void {
    this.counts.delete(tableRef)
    this.since = seq
  }

  private change(change: CountChange): void {
    const { tableRef, by } = change
    const before = this.counts.get(tableRef)
    if (before !== undefined) this.counts.set(tableRef, before + by)
    this.recent.push(change)
    if (this.recent.length > MAX_RECENT) this.since = this.recent.shift()?.seq ?? change.seq
  }
}

/** The number of rows that an operation adds to its table; negative for rows that it removes. */
function growth(operation: Operation): number {
  if (operation.kind === 'add_rows') return operation.rowIds.length
  return operation.kind === 'remove_rows' ? -operation.rowIds.length : 0
}
