import {
  useCallback,
  useEffect,
  useMemo,
  useState,
  useSyncExternalStore,
  type ReactNode,
} from 'react'
import type { Column, Row } from '../api/resources'
import type { CellContext } from '../cells/editing/cell-type'
import { useOpenedId, useRowPanel } from '../grid/row-panel/use-row-panel'
import type { RowsOnScreen } from '../grid/row-panel/use-row-place'
import type { RowSearch } from '../grid/rows/rows-api'
import { useCellWriting, type CellWriting } from '../grid/use-cell-writing'
import { useLiveRows, type LiveRows, type RowDisplay } from '../grid/use-live-rows'
import { useRowRemoval } from '../grid/use-row-removal'
import type { GridView } from '../grid/view/grid-view'
import { useRecordChange } from '../undo/undo-provider'
import { LaneHandles } from './lane-handles'
import { laneValue, type Lane } from './lanes'
import { MovedCards } from './moved-cards'

/** The rows of a board, and the row that is open beside it. */
interface BoardRows {
  /** All rows of the view, whichever their lane. */
  readonly whole: LiveRows
  readonly handles: LaneHandles
  readonly moved: MovedCards
  readonly writing: CellWriting
  readonly add: (lane: Lane) => Promise<void>
  readonly openedId: number | undefined
  readonly open: (rowId: number) => void
  readonly panel: ReactNode
}

interface BoardParts {
  readonly columns: readonly Column[]
  readonly shown: readonly Column[]
  /** The column of the lanes. */
  readonly column: Column
  readonly view: GridView
  readonly search: RowSearch
}

/** What is counted is not drawn: each lane reads its own rows. */
const notDrawn: RowDisplay = {
  onRows: () => {},
  onBlocks: () => {},
  onTotal: () => {},
  onMarks: () => {},
}

/** Reads and writes the rows of a board. */
export function useBoardRows(context: CellContext, parts: BoardParts): BoardRows {
  const { columns, shown, column, view, search } = parts
  const whole = useLiveRows(context, { view, search }, notDrawn)
  const [{ handles, moved }] = useState(() => ({
    handles: new LaneHandles(),
    moved: new MovedCards(),
  }))
  const { api, store, writes } = whole
  const find = useCallback(
    (rowId: number): Row | undefined =>
      handles.holding(rowId)[0]?.store.find(rowId) ?? store.find(rowId),
    [handles, store],
  )
  const writing = useCellWriting({ writes, find, columns })
  const { write } = writing
  const removeRows = useRowRemoval(api)
  const openedId = useOpenedId()
  const holder = useSyncExternalStore(handles.watch, () =>
    openedId === undefined ? undefined : handles.holding(openedId)[0],
  )
  const screen = useMemo<RowsOnScreen>(
    () => ({
      scrollTo: (index) => holder?.reveal(index, false),
      focus: (index) => holder?.reveal(index, true),
    }),
    [holder],
  )
  const rows = holder ?? whole
  const opened = useRowPanel(context, {
    columns,
    shown,
    store: rows.store,
    readPage: rows.readPage,
    writes,
    write: (changes, label) => void write(changes, label),
    remove: removeRows,
    screen,
  })
  const { open, onRows, panel } = opened
  useEffect(() => handles.watch(onRows))
  const record = useRecordChange()
  const add = useCallback(
    async (lane: Lane) => {
      const value = laneValue(lane, column)
      const adding = api.add(value === null ? {} : { [column.id]: value })
      record(
        'Row added',
        adding.then(({ seq }) => seq),
      )
      const { id } = await adding
      const drawn = handles.of(lane.key)
      drawn?.store.markStale()
      await drawn?.store.refresh()
      open(id)
    },
    [api, column, handles, open, record],
  )
  return { whole, handles, moved, writing, add, openedId, open, panel }
}
