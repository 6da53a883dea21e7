import type { ColumnOfTable } from './formula-columns'

/** Cells of one formula column that have to be computed, each with the seq of the write that it belongs to. */
export class DirtyColumn {
  /** The seq, when all cells of the column are dirty. */
  all: number | undefined
  readonly rows = new Map<number, number>()
  /** Of a trigger column: the rows in which its formula runs whatever else is computed. */
  readonly fired = new Set<number>()

  constructor(readonly of: ColumnOfTable) {}

  /** True when no cell is dirty. */
  get isEmpty(): boolean {
    return this.all === undefined && this.rows.size === 0
  }

  /** The seq of the write that the cell belongs to. */
  ownerOf(rowId: number): number {
    return this.rows.get(rowId) ?? this.all ?? 0
  }

  /**
   * What is dirty after these rows were computed but for those that are left: rows may have been marked since they were
   * asked for. Of a whole column, what was marked since is computed as well.
   */
  after(asked: readonly number[] | 'all', left: readonly number[]): DirtyColumn {
    const rest = new DirtyColumn(this.of)
    const computed = new Set(asked === 'all' ? this.rows.keys() : asked)
    const marked = [...this.rows.keys()].filter((row) => !computed.has(row))
    for (const row of [...marked, ...left]) rest.rows.set(row, this.ownerOf(row))
    if (asked !== 'all') rest.all = this.all
    return rest
  }

  /** Adds the rows of another one. */
  addAll({ all, rows }: DirtyColumn): void {
    this.all ??= all
    for (const [row, seq] of rows) this.rows.set(row, seq)
  }
}

/** Dirty cells of a document, by column ref. */
export class DirtyCells {
  readonly columns = new Map<number, DirtyColumn>()

  /** True when no cell is dirty. */
  get isEmpty(): boolean {
    return this.columns.size === 0
  }

  /** The dirty cells of a column, none at first. */
  column(of: ColumnOfTable): DirtyColumn {
    const known = this.columns.get(of.column.ref)
    if (known) return known
    const made = new DirtyColumn(of)
    this.columns.set(of.column.ref, made)
    return made
  }

  /**
   * Marks cells; cells that are marked keep their owner. Returns the newly marked rows. More than `maxRows` rows of a
   * column make all of it dirty.
   */
  mark(
    of: ColumnOfTable,
    rows: readonly number[] | 'all',
    { seq, maxRows }: { readonly seq: number; readonly maxRows: number },
  ): readonly number[] | 'all' {
    const column = this.column(of)
    if (column.all !== undefined) return []
    const added: number[] = []
    if (rows !== 'all')
      for (const row of rows)
        if (!column.rows.has(row)) {
          column.rows.set(row, seq)
          added.push(row)
        }
    if (rows !== 'all' && column.rows.size <= maxRows) return added
    column.all = seq
    return 'all'
  }
}

/** A set of cells, by column ref and row id. */
export class CellSet {
  private readonly rows = new Map<number, Set<number>>()

  /** True for a cell that was added. */
  has(columnRef: number, rowId: number): boolean {
    return this.rows.get(columnRef)?.has(rowId) ?? false
  }

  /** Adds cells of a column. */
  add(columnRef: number, rowIds: Iterable<number>): void {
    const known = this.rows.get(columnRef) ?? new Set()
    this.rows.set(columnRef, known)
    for (const id of rowIds) known.add(id)
  }

  /** Adds the cells of another set. */
  addAll(other: CellSet): void {
    for (const [ref, rows] of other.rows) this.add(ref, rows)
  }
}
