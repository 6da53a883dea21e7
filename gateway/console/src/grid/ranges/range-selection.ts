import { blockOf, cellCount, contains, type Block, type CellRange, type Place } from './cell-range'

/** The class of selected cells. */
export const RANGE_CLASS = 'cell-range'
/** The class of the last one, which has the handle to fill others. */
export const RANGE_END_CLASS = 'cell-range-end'

/** The selected cells of a grid, when they are more than the focused one, by their places; see `FollowedRange`. */
export class RangeSelection {
  private range: CellRange | undefined
  private shown: Block | undefined
  private readonly listeners = new Set<() => void>()

  /** Selects a range; one cell is as good as none. */
  set(range: CellRange | undefined): void {
    const block = range && blockOf(range)
    const isRange = block !== undefined && cellCount(block) > 1
    this.range = isRange ? range : undefined
    if (isSame(this.shown, isRange ? block : undefined)) return
    this.shown = isRange ? block : undefined
    for (const listener of this.listeners) listener()
  }

  /** The range with its direction, of which arrow keys move the end. */
  get current(): CellRange | undefined {
    return this.range
  }

  /** Returns true if a cell is selected. */
  has(place: Place): boolean {
    return this.shown !== undefined && contains(this.shown, place)
  }

  /** Returns true for the last cell of the selection. */
  endsAt({ row, column }: Place): boolean {
    return row === this.shown?.lastRow && column === this.shown.lastColumn
  }

  /** The selected rows and columns. With `watch`, the arguments of `useSyncExternalStore`. */
  readonly read = (): Block | undefined => this.shown

  /** Calls back when the selection changes. Returns a function that unsubscribes. */
  readonly watch = (listener: () => void): (() => void) => {
    this.listeners.add(listener)
    return () => this.listeners.delete(listener)
  }
}

const isSame = (one: Block | undefined, other: Block | undefined): boolean =>
  one === other || JSON.stringify(one) === JSON.stringify(other)
