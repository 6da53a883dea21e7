/** Cells of rows that became other ones. */
export interface CellChanges {
  readonly seq: number
  readonly rowIds: readonly number[]
  /** What they became, by column: one value for each row. */
  readonly columns: Readonly<Record<string, readonly unknown[]>>
}

/** Cells that are kept at most. */
const MOST_CELLS = 20_000

const sizeOf = ({ rowIds, columns }: CellChanges): number =>
  rowIds.length * Object.keys(columns).length + 1

/** The last changes of cells: a page that was read before them, and comes after them, is brought up to date with these. */
export class RecentChanges {
  private changes: CellChanges[] = []
  private cells = 0
  /** All changes after this one are here. */
  private from = 0

  /** Remembers a change. */
  add(change: CellChanges): void {
    this.changes.push(change)
    this.cells += sizeOf(change)
    while (this.cells > MOST_CELLS) {
      const oldest = this.changes.shift()
      if (!oldest) return
      this.cells -= sizeOf(oldest)
      this.from = oldest.seq
    }
  }

  /** What came after a position; undefined when not all of it is known any more. */
  since(seq: number): readonly CellChanges[] | undefined {
    if (seq < this.from) return undefined
    return this.changes.filter((change) => change.seq > seq)
  }
}
