import type { GridApi } from 'ag-grid-community'
import type { RefObject } from 'react'
import type { Row } from '../../api/resources'
import { keyAt, loadedRows, type RowKey } from '../moves/displayed-rows'
import type { RowFollower } from '../moves/row-moves'
import { BLOCK_ROWS } from '../rows/row-blocks'
import { blockOf, type CellRange } from './cell-range'
import type { RangeSelection } from './range-selection'

/** A range with the rows that are displayed in it, by their indexes. */
interface KnownRange {
  readonly range: CellRange
  readonly rows: ReadonlyMap<number, RowKey>
}

interface RangeParts {
  readonly grid: RefObject<GridApi<Row> | null>
  readonly selection: RangeSelection
  /** Returns true if the row at an index is, and will stay, the one that the grid displays there. */
  readonly isCurrent: (index: number) => boolean
}

/**
 * The selected range of a grid, which goes with its rows as long as they stay together. When they do not, or another row comes
 * between them, it ends: a command would change a row that the user has not selected.
 */
export class FollowedRange implements RowFollower {
  private known: KnownRange | undefined
  private isSplit = false

  constructor(private readonly parts: RangeParts) {}

  /** True while other rows are displayed in the range than those selected, until the grid has loaded all of them. */
  get isUnsettled(): boolean {
    return this.isSplit && this.known?.range === this.parts.selection.current
  }

  readonly before = (): void => {
    const { current: range } = this.parts.selection
    if (this.isUnsettled) return
    this.isSplit = false
    this.known = range && { range, rows: this.rowsOf(range) }
  }

  readonly after = (): void => {
    const { known } = this
    const { selection, grid } = this.parts
    const { current: api } = grid
    if (!known || !api || selection.current !== known.range) return
    const loaded = loadedRows(api)
    const step = stepOf(known, loaded)
    if (step !== undefined && isTogether(known, step, { loaded, api })) {
      this.isSplit = false
      if (step !== 0) selection.set(shifted(known.range, step))
      return
    }
    this.isSplit = true
    // A part of the rows may be displayed at its new place before the others are.
    if (this.areCurrent(known, loaded)) selection.set(undefined)
  }

  /** Returns true if the rows in a range and around it are displayed as they are now. */
  private areCurrent({ range }: KnownRange, loaded: ReadonlyMap<RowKey, number>): boolean {
    const { firstRow, lastRow } = blockOf(range)
    const isNear = (at: number) => at >= firstRow - BLOCK_ROWS && at <= lastRow + BLOCK_ROWS
    return [...loaded.values()].every((at) => !isNear(at) || this.parts.isCurrent(at))
  }

  private rowsOf(range: CellRange): Map<number, RowKey> {
    const { firstRow, lastRow } = blockOf(range)
    const rows = new Map<number, RowKey>()
    const loaded = this.parts.grid.current ? loadedRows(this.parts.grid.current) : []
    for (const [key, at] of loaded) if (at >= firstRow && at <= lastRow) rows.set(at, key)
    return rows
  }
}

/**
 * Returns by how many places the rows of a range have moved: its first cell, or any of its rows if that one was not loaded;
 * undefined if they are not loaded. A range without any loaded row stays.
 */
function stepOf(
  { rows, range: { anchor } }: KnownRange,
  loaded: ReadonlyMap<RowKey, number>,
): number | undefined {
  if (rows.size === 0) return 0
  const first = rows.get(anchor.row)
  const all = first === undefined ? [...rows] : [[anchor.row, first] as const]
  for (const [before, key] of all) {
    const now = loaded.get(key)
    if (now !== undefined) return now - before
  }
  return undefined
}

interface DisplayedRows {
  readonly loaded: ReadonlyMap<RowKey, number>
  readonly api: GridApi<Row>
}

/** Returns true if all rows of a range have moved by the same number of places, as far as they are loaded. */
function isTogether({ rows }: KnownRange, step: number, { loaded, api }: DisplayedRows): boolean {
  return [...rows].every(([before, key]) => {
    const at = before + step
    const now = loaded.get(key)
    if (now !== undefined) return now === at
    return at >= 0 && at < api.getDisplayedRowCount() && keyAt(api, at) === undefined
  })
}

const shifted = ({ anchor, head }: CellRange, step: number): CellRange => ({
  anchor: { ...anchor, row: anchor.row + step },
  head: { ...head, row: head.row + step },
})
