import type { RowOperation } from '@sheaf/client'
import { useCallback, useMemo, useReducer, useSyncExternalStore } from 'react'
import type { Row } from '../api/resources'
import { BLOCK_ROWS, blockOf } from '../grid/rows/row-blocks'
import type { StoreState } from '../grid/rows/row-store'
import { useLiveRows, type LiveRows, type RowDisplay } from '../grid/live-rows/use-live-rows'
import { useBoard } from './board-context'
import { indexAt, placeOf } from './card-places'
import { changesLane, laneFilter, type Lane } from './lanes'

/** The rows of a lane, with those that were moved into it and without those that were moved out of it. */
export interface LaneRows extends LiveRows, StoreState {
  /** Number of cards; undefined until they are counted. */
  readonly count: number | undefined
  /** Returns the row at a place; undefined if it is not loaded. */
  readonly at: (place: number) => Row | undefined
  /** Returns the place of a row; undefined if it is not loaded. */
  readonly placeOfRow: (rowId: number) => number | undefined
  /** Returns the place of the row at an index of the store. */
  readonly placeOfIndex: (index: number) => number
  /** Loads the rows at places, the last one excluded. */
  readonly load: (first: number, end: number) => void
}

/** Reads the rows of a lane, and follows their changes. */
export function useLaneRows(lane: Lane): LaneRows {
  const { context, column, view, search, handles, moved } = useBoard()
  const [, redraw] = useReducer((count: number) => count + 1, 0)
  const display = useMemo<RowDisplay>(() => {
    const handle = () => {
      redraw()
      handles.changed()
    }
    return { onRows: handle, onBlocks: handle, onTotal: handle, onMarks: redraw }
  }, [handles])
  const isConcerned = useCallback(
    (operation: RowOperation) => changesLane(operation, lane, column),
    [lane, column],
  )
  const laneView = useMemo(
    () => ({ ...view, filter: laneFilter(lane, column, view.filter) }),
    [view, lane, column],
  )
  const rows = useLiveRows(context, { view: laneView, search, isConcerned }, display)
  const { store } = rows
  const cards = useSyncExternalStore(moved.watch, moved.read)
  const state = useSyncExternalStore(store.watchState, store.readState)
  const indexOf = (id: number) => store.indexOf(id)
  const others = [...cards.values()].filter(({ to }) => to !== lane.key)
  const skipped = others.flatMap(({ row }) => indexOf(row.id) ?? []).sort((a, b) => a - b)
  const added = [...cards.values()].filter(
    ({ row, to }) => to === lane.key && indexOf(row.id) === undefined,
  )
  const { length } = added
  const placeOfIndex = (index: number) => length + placeOf(index, skipped)
  const { total } = state
  return {
    ...rows,
    ...state,
    count: total === undefined ? undefined : Math.max(0, total - skipped.length) + length,
    at: (place) => added[place]?.row ?? store.at(indexAt(place - length, skipped)),
    placeOfRow(id) {
      const place = added.findIndex(({ row }) => row.id === id)
      const index = indexOf(id)
      return place >= 0 ? place : index === undefined ? undefined : placeOfIndex(index)
    },
    placeOfIndex,
    load(first, end) {
      const from = indexAt(Math.max(0, first - length), skipped)
      const to = indexAt(Math.max(0, end - 1 - length), skipped)
      store.setViewport(from, to)
      for (let block = blockOf(from); block <= blockOf(to); block++)
        if (!store.at(Math.max(from, block * BLOCK_ROWS)))
          store.request(block, { onFound: display.onBlocks, onDropped: () => {} })
    },
  }
}
