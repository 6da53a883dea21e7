import type { CellPosition, Column, GridApi } from 'ag-grid-community'
import type { RefObject } from 'react'
import type { Row } from '../../api/resources'
import { keyAt, loadedRows, type RowKey } from './displayed-rows'
import type { RowFollower, RowMoves } from './row-moves'

/** A cell that gets the focus. */
export interface FocusTarget {
  readonly rowIndex: number
  readonly column: Column
  /** True if the keyboard is to follow. */
  readonly forceBrowserFocus: boolean
}

interface GridParts {
  readonly grid: RefObject<GridApi<Row> | null>
  /** The element that contains the grid. */
  readonly body: RefObject<HTMLElement | null>
}

/** The row that the user has focused. */
interface Chosen {
  readonly key: RowKey
  readonly column: Column
}

/** Marks the element that contains a grid while the focus is lost. */
const LOST = 'data-focus-lost'
/** What has the keyboard for a focused cell: the cell, the header of a group, or the field in which input methods compose. */
const HOLDERS = '.ag-cell, .ag-full-width-row, .composition-field'

/**
 * The focused cell of a grid, which goes with its row. AG Grid has it at an index, where another row may be after a change. When
 * the row is not among those loaded, the focus stays at its place and is lost until the user focuses a cell, or the row returns.
 */
export class FollowedFocus implements RowFollower {
  private chosen: Chosen | undefined
  private isAstray = false
  private wasInView = false
  private hadKeyboard = false
  private setFocus: ((target: FocusTarget) => void) | undefined

  constructor(
    private readonly parts: GridParts,
    private readonly moves: RowMoves,
  ) {}

  /** True if the focused cell is one of another row than that which the user has focused. */
  get isLost(): boolean {
    return this.isAstray
  }

  /** Sets how a cell gets the focus without being scrolled to, and not at all if the keyboard is elsewhere. */
  connect(setFocus: (target: FocusTarget) => void): void {
    this.setFocus = setFocus
  }

  /** Must be called when a cell gets the focus, in the same task. */
  readonly onFocus = (): void => {
    if (this.moves.areUnderWay) return
    this.chosen = this.read()
    this.setLost(false)
  }

  readonly before = (): void => {
    if (!this.isAstray) this.chosen = this.read() ?? this.chosen
    const cell = this.focusedCell()
    this.wasInView = cell !== undefined && this.isInView(cell.rowIndex)
    const holder = document.activeElement?.closest(HOLDERS) ?? null
    this.hadKeyboard = holder !== null && this.parts.body.current?.contains(holder) === true
  }

  readonly after = (): void => {
    const { current: api } = this.parts.grid
    const cell = this.focusedCell()
    if (!api || !cell) {
      this.chosen = undefined
      return this.setLost(false)
    }
    this.chosen ??= this.read()
    const { chosen } = this
    if (!chosen || keyAt(api, cell.rowIndex) === chosen.key) return this.setLost(false)
    const index = loadedRows(api).get(chosen.key)
    if (index !== undefined) this.moveTo(index, chosen)
    this.setLost(index === undefined)
  }

  private moveTo(rowIndex: number, { column }: Chosen): void {
    this.setFocus?.({ rowIndex, column, forceBrowserFocus: this.hadKeyboard })
    // If the user has scrolled away from the cell, the grid does not scroll back to it.
    if (this.wasInView && this.hadKeyboard && !this.isInView(rowIndex))
      this.parts.grid.current?.ensureIndexVisible(rowIndex)
  }

  private read(): Chosen | undefined {
    const { current: api } = this.parts.grid
    const cell = this.focusedCell()
    const key = cell && api ? keyAt(api, cell.rowIndex) : undefined
    return cell && key !== undefined ? { key, column: cell.column } : undefined
  }

  private focusedCell(): CellPosition | undefined {
    const cell = this.parts.grid.current?.getFocusedCell()
    return cell && !cell.rowPinned ? cell : undefined
  }

  private isInView(rowIndex: number): boolean {
    const { current: api } = this.parts.grid
    const top = api?.getDisplayedRowAtIndex(rowIndex)?.rowTop
    const view = api?.getVerticalPixelRange()
    return typeof top === 'number' && view !== undefined && top >= view.top && top < view.bottom
  }

  private setLost(isLost: boolean): void {
    this.isAstray = isLost
    this.parts.body.current?.toggleAttribute(LOST, isLost)
  }
}
