import { useEffect, useReducer, useRef, useState, useSyncExternalStore } from 'react'
import type { RowStore } from '../rows/row-store'
import type { PlacedRow } from './neighbor'

/** What shows the rows of the view, beside the panel. */
export interface RowsOnScreen {
  /** Scrolls to the row at an index. */
  readonly scrollTo: (index: number) => void
  /** Scrolls to the row at an index, and gives it the focus. */
  readonly focus: (index: number) => void
}

/** Where a row is in the view. */
export interface RowPlace {
  /** Its index when it was last loaded; undefined if it was not. */
  readonly index: number | undefined
  /** Looks for the row again, after the grid has loaded rows. */
  readonly onRows: () => void
  /** Tells where a row is that is shown next. */
  readonly set: (place: PlacedRow) => void
}

/** A place in the view whose rows a store has. */
type StoredPlace = PlacedRow & { readonly store: RowStore }

/**
 * Follows the place of a row in the view, and scrolls to it once, if it is among the rows that are loaded first. The screen must
 * be memoized.
 */
export function useRowPlace(
  rowId: number | undefined,
  store: RowStore,
  screen: RowsOnScreen,
): RowPlace {
  const [placed, setPlaced] = useState<StoredPlace>()
  const [, redraw] = useReducer((count: number) => count + 1, 0)
  const { total } = useSyncExternalStore(store.watchState, store.readState)
  const [expected, setExpected] = useState<StoredPlace>()
  const isOfRow = (place: StoredPlace | undefined) => place?.id === rowId && place?.store === store
  const known = [placed, expected].find(isOfRow)?.index
  const loaded = rowId === undefined ? undefined : store.indexOf(rowId)
  if (rowId !== undefined && loaded !== undefined && !(isOfRow(placed) && placed?.index === loaded))
    setPlaced({ id: rowId, index: loaded, store })
  const toShow = useRef<number>(undefined)
  useEffect(() => {
    toShow.current = rowId
  }, [rowId])
  useEffect(() => {
    if (rowId === undefined || toShow.current !== rowId || total === undefined) return
    toShow.current = undefined
    if (loaded !== undefined) screen.scrollTo(loaded)
  }, [rowId, loaded, total, screen])
  const onRows = () => {
    if (rowId !== undefined && store.indexOf(rowId) !== loaded) redraw()
  }
  const set = (place: PlacedRow) => setExpected({ ...place, store })
  return { index: known, onRows, set }
}
