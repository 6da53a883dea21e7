import { isSameValue } from '../../formats/value'
import type { CellChanges } from './recent-changes'
import type { Row } from '../../api/row'

/** How many rows are read at once. */
export const BLOCK_ROWS = 100
/** Blocks that are kept; those that were not looked at for longest go first. */
const MOST_BLOCKS = 60

interface Block {
  rows: Row[]
  /** True for rows that are shown until newer ones are there. */
  isStale: boolean
}

/** A row that has become another one. */
export interface ChangedRow {
  readonly index: number
  readonly row: Row
}

/** The number of the block that a row stands in. */
export const blockOf = (index: number): number => Math.floor(index / BLOCK_ROWS)

/** The row with other cells; the same row where these are no other ones. */
export function withCells(row: Row, cells: Readonly<Record<string, unknown>>): Row {
  const changed = Object.entries(cells).filter(
    ([colId, value]) => colId in row.fields && !isSameValue(row.fields[colId], value),
  )
  return changed.length === 0
    ? row
    : { ...row, fields: { ...row.fields, ...Object.fromEntries(changed) } }
}

/** The rows that are loaded, block by block, so many at most. */
export class RowBlocks {
  /** The one that was looked at last comes last. */
  private readonly blocks = new Map<number, Block>()
  private readonly places = new Map<number, number>()

  /** The rows of a block, stale ones too; undefined when it is not loaded. */
  get(number: number): readonly Row[] | undefined {
    const block = this.blocks.get(number)
    if (!block) return undefined
    this.blocks.delete(number)
    this.blocks.set(number, block)
    return block.rows
  }

  /** True unless the block is loaded, and not stale. */
  isWanting(number: number): boolean {
    return this.blocks.get(number)?.isStale ?? true
  }

  /** Puts rows into a block; true when others stood there before. */
  set(number: number, rows: readonly Row[]): boolean {
    const isReplaced = this.blocks.has(number)
    this.drop(number)
    this.blocks.set(number, { rows: [...rows], isStale: false })
    rows.forEach(({ id }, place) => this.places.set(id, number * BLOCK_ROWS + place))
    for (const oldest of this.blocks.keys()) {
      if (this.blocks.size <= MOST_BLOCKS) break
      this.drop(oldest)
    }
    return isReplaced
  }

  /** Has blocks from this one on read anew, when they are looked at. */
  makeStale(from = 0): void {
    for (const [number, block] of this.blocks) if (number >= from) block.isStale = true
  }

  /** Drops what lies behind the last row. */
  cut(total: number): void {
    for (const number of [...this.blocks.keys()])
      if (number * BLOCK_ROWS >= total) this.drop(number)
  }

  /** A row that is loaded. */
  find(id: number): ChangedRow | undefined {
    const index = this.places.get(id)
    const row = index === undefined ? undefined : this.at(index)
    return row && index !== undefined ? { index, row } : undefined
  }

  /** The row at a place, when it is loaded. */
  at(index: number): Row | undefined {
    return this.blocks.get(blockOf(index))?.rows[index % BLOCK_ROWS]
  }

  /** Puts a row in the place where one with its id stands; undefined when there is none, or it is the same. */
  replace(row: Row): ChangedRow | undefined {
    const found = this.find(row.id)
    const block = found && this.blocks.get(blockOf(found.index))
    if (!block || found.row === row) return undefined
    block.rows[found.index % BLOCK_ROWS] = row
    return { index: found.index, row }
  }

  /** Changes cells of the rows that are loaded; the rows that became other ones. */
  apply({ rowIds, columns }: CellChanges): ChangedRow[] {
    const changed: ChangedRow[] = []
    rowIds.forEach((id, place) => {
      const found = this.find(id)
      if (!found) return
      const row = this.replace(withCells(found.row, cellsAt(columns, place)))
      if (row) changed.push(row)
    })
    return changed
  }

  private drop(number: number): void {
    for (const [place, { id }] of this.blocks.get(number)?.rows.entries() ?? [])
      if (this.places.get(id) === number * BLOCK_ROWS + place) this.places.delete(id)
    this.blocks.delete(number)
  }
}

/** The cells of one row of a change. */
export function cellsAt(columns: CellChanges['columns'], place: number): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(columns).map(([colId, values]) => [colId, values[place]]),
  )
}
