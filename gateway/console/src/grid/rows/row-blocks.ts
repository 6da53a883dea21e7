import type { Row } from '../../api/resources'
import { isSameValue } from '../../formats/value'
import type { CellChanges } from './recent-changes'

/** Rows per block. */
export const BLOCK_ROWS = 100
/** Maximum number of blocks kept. The least recently used are evicted first. */
const MAX_BLOCKS = 60

interface Block {
  rows: Row[]
  /** True for rows that are shown until fresh ones arrive. */
  isStale: boolean
}

/** A loaded row with its index. */
export interface LoadedRow {
  readonly index: number
  readonly row: Row
}

/** Returns the number of the block that contains a row. */
export const blockOf = (index: number): number => Math.floor(index / BLOCK_ROWS)

const distance = (a: number, b: number): number => Math.abs(a - b)

/** Returns the row with new cell values, or the same object if no value differs. */
function withCells(row: Row, cells: Readonly<Record<string, unknown>>): Row {
  const changed = Object.entries(cells).filter(
    ([colId, value]) => colId in row.fields && !isSameValue(row.fields[colId], value),
  )
  return changed.length === 0
    ? row
    : { ...row, fields: { ...row.fields, ...Object.fromEntries(changed) } }
}

/** A bounded cache of loaded rows, in blocks. */
export class RowBlocks {
  /** From least to most recently used. */
  private readonly blocks = new Map<number, Block>()
  private readonly indexes = new Map<number, number>()

  /** Returns the rows of a block, stale or not; undefined if it is not loaded. */
  get(number: number): readonly Row[] | undefined {
    const block = this.blocks.get(number)
    if (!block) return undefined
    this.blocks.delete(number)
    this.blocks.set(number, block)
    return block.rows
  }

  /** Returns true if the block is not loaded or is stale. */
  needsLoad(number: number): boolean {
    return this.blocks.get(number)?.isStale ?? true
  }

  /** Stores the rows of a block. Returns true if the block was loaded before. */
  set(number: number, rows: readonly Row[]): boolean {
    const isReplaced = this.blocks.has(number)
    this.drop(number)
    this.blocks.set(number, { rows: [...rows], isStale: false })
    rows.forEach(({ id }, offset) => this.indexes.set(id, number * BLOCK_ROWS + offset))
    for (const oldest of this.blocks.keys()) {
      if (this.blocks.size <= MAX_BLOCKS) break
      this.drop(oldest)
    }
    return isReplaced
  }

  /** Marks the blocks from this one on as stale. */
  markStale(from = 0): void {
    for (const [number, block] of this.blocks) if (number >= from) block.isStale = true
  }

  /** Drops blocks beyond the last row. */
  truncate(total: number): void {
    for (const number of [...this.blocks.keys()])
      if (number * BLOCK_ROWS >= total) this.drop(number)
  }

  /** Returns the greatest id of the loaded rows; 0 if there are none. */
  lastId(): number {
    let last = 0
    for (const id of this.indexes.keys()) last = Math.max(last, id)
    return last
  }

  /** Returns a loaded row with its index. */
  find(id: number): LoadedRow | undefined {
    const index = this.indexes.get(id)
    const row = index === undefined ? undefined : this.at(index)
    return row && index !== undefined ? { index, row } : undefined
  }

  /** Returns the row at an index; undefined if it is not loaded. */
  at(index: number): Row | undefined {
    return this.blocks.get(blockOf(index))?.rows[index % BLOCK_ROWS]
  }

  /** Returns a row of the loaded block closest to an index. Adjacent indexes get adjacent rows. */
  near(index: number): LoadedRow | undefined {
    const wanted = blockOf(index)
    let nearest: number | undefined
    for (const [number, { rows }] of this.blocks)
      if (
        rows.length > 0 &&
        (nearest === undefined || distance(number, wanted) < distance(nearest, wanted))
      )
        nearest = number
    if (nearest === undefined) return undefined
    const rows = this.blocks.get(nearest)?.rows ?? []
    const offset = index % rows.length
    const row = rows[offset]
    return row && { index: nearest * BLOCK_ROWS + offset, row }
  }

  /** Replaces the row with the same id. Returns undefined if it is not loaded, or is the same object. */
  replace(row: Row): LoadedRow | undefined {
    const found = this.find(row.id)
    const block = found && this.blocks.get(blockOf(found.index))
    if (!block || found.row === row) return undefined
    block.rows[found.index % BLOCK_ROWS] = row
    return { index: found.index, row }
  }

  /** Applies a change to the loaded rows. Returns the rows that changed. */
  apply({ rowIds, columns }: CellChanges): LoadedRow[] {
    const changed: LoadedRow[] = []
    rowIds.forEach((id, position) => {
      const found = this.find(id)
      if (!found) return
      const row = this.replace(withCells(found.row, cellsAt(columns, position)))
      if (row) changed.push(row)
    })
    return changed
  }

  private drop(number: number): void {
    for (const [offset, { id }] of this.blocks.get(number)?.rows.entries() ?? [])
      if (this.indexes.get(id) === number * BLOCK_ROWS + offset) this.indexes.delete(id)
    this.blocks.delete(number)
  }
}

/** Returns the cells of one row of a change. */
function cellsAt(columns: CellChanges['columns'], position: number): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(columns).map(([colId, values]) => [colId, values[position]]),
  )
}
