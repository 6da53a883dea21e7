/** Changed cells. */
export interface CellChanges {
  readonly seq: number
  readonly rowIds: readonly number[]
  /** New values by column, one for each row. */
  readonly columns: Readonly<Record<string, readonly unknown[]>>
}

/** Maximum number of cells kept. */
const MAX_CELLS = 20_000

const sizeOf = ({ rowIds, columns }: CellChanges): number =>
  rowIds.length * Object.keys(columns).length + 1

/** The latest changes of cells. They are applied to pages that were read before a change and arrive after it. */
export class RecentChanges {
  private changes: CellChanges[] = []
  private cells = 0
  /** All changes after this sequence number are present. */
  private from = 0

  /** Adds a change and evicts the oldest ones. */
  add(change: CellChanges): void {
    this.changes.push(change)
    this.cells += sizeOf(change)
    while (this.cells > MAX_CELLS) {
      const oldest = this.changes.shift()
      if (!oldest) return
      this.cells -= sizeOf(oldest)
      this.from = oldest.seq
    }
  }

  /** Returns the changes after a sequence number; undefined if some of them were evicted. */
  since(seq: number): readonly CellChanges[] | undefined {
    if (seq < this.from) return undefined
    return this.changes.filter((change) => change.seq > seq)
  }
}
