import { createContext, use } from 'react'
import type { Column, Row } from '../api/resources'
import type { CellContext } from '../cells/editing/cell-type'
import type { RowSearch } from '../grid/rows/rows-api'
import type { GridView } from '../grid/view/grid-view'
import type { LaneHandles } from './lane-handles'
import type { Lane } from './lanes'
import type { MovedCards } from './moved-cards'

/** A card that is dragged. */
export interface DraggedCard {
  readonly row: Row
  readonly title: string
  /** The key of its lane. */
  readonly from: string
}

/** What the lanes and cards of a board have in common. */
export interface BoardState {
  readonly context: CellContext
  /** The column of the lanes. */
  readonly column: Column
  readonly lanes: readonly Lane[]
  readonly titleOf: (lane: Lane) => string
  /** The column with the titles of cards; undefined if no column is shown. */
  readonly titleColumn: Column | undefined
  /** The other columns on cards. */
  readonly fields: readonly Column[]
  readonly view: GridView
  readonly search: RowSearch
  /** True if the user can move cards to other lanes, and add some. */
  readonly canMove: boolean
  readonly handles: LaneHandles
  readonly moved: MovedCards
  /** The row that is open in a panel. */
  readonly openedId: number | undefined
  readonly open: (rowId: number) => void
  /** Moves a card. With `focuses` it has the focus in its new lane. */
  readonly move: (card: DraggedCard, to: Lane, focuses: boolean) => void
  /** Adds a row to a lane and opens it. */
  readonly add: (lane: Lane) => Promise<void>
  readonly dragged: DraggedCard | undefined
  readonly setDragged: (card: DraggedCard | undefined) => void
}

/** Context of the lanes of a board. */
export const BoardContext = createContext<BoardState | undefined>(undefined)

/** Returns the state of the surrounding board. Throws outside of a board. */
export function useBoard(): BoardState {
  const board = use(BoardContext)
  if (!board) throw new Error('useBoard requires a BoardContext')
  return board
}
