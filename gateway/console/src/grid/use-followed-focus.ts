import type { GridApi } from 'ag-grid-community'
import { createRef, useEffect, useState, type RefObject } from 'react'
import type { Row } from '../api/resources'
import { FollowedFocus } from './moves/followed-focus'
import { RowMoves } from './moves/row-moves'
import { useGridPresence } from './presence/use-grid-presence'
import type { GridMoves } from './live-rows/use-grid-rows'

/** A grid, and the element that contains it. */
export interface FollowedGrid extends GridMoves {
  readonly body: RefObject<HTMLDivElement | null>
}

/** Returns a grid whose focus goes with its row, and is the place of this page for others; the same one each time. */
export function useFollowedFocus(tableId: string): FollowedGrid {
  const [followed] = useState(createFollowedGrid)
  useGridPresence(followed.body, tableId)
  const { moves, focus } = followed
  useEffect(() => moves.add(focus), [moves, focus])
  return followed
}

function createFollowedGrid(): FollowedGrid {
  const parts = { grid: createRef<GridApi<Row>>(), body: createRef<HTMLDivElement>() }
  const moves = new RowMoves()
  return { ...parts, moves, focus: new FollowedFocus(parts, moves) }
}
