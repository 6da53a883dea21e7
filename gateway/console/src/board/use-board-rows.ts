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
import { useOpenedId, useRowPanel, type OpenedRow } from '../grid/row-panel/use-row-panel'
import type { RowsOnScreen } from '../grid/row-panel/use-row-place'
import type { RowsApi, RowSearch } from '../grid/rows/rows-api'
import { useCellWriting, type CellWriting } from '../grid/editing/use-cell-writing'
import { useLiveRows, type LiveRows, type RowDisplay } from '../grid/live-rows/use-live-rows'
import { useRowRemoval } from '../grid/row-commands/use-row-removal'
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
  /** Returns a row that is loaded. The same function while the rows are the same. */
  readonly find: (rowId: number) => Row | undefined
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
  const add = useAddCard(api, { column, handles, open })
  return { whole, handles, moved, writing, find, add, openedId, open, panel }
}

interface AddedCards {
  readonly column: Column
  readonly handles: LaneHandles
  readonly open: OpenedRow['open']
}

/** Returns a function that adds a row to a lane, opens it to be filled in, and scrolls to its card. */
function useAddCard(api: RowsApi, { column, handles, open }: AddedCards): BoardRows['add'] {
  const record = useRecordChange()
  return useCallback(
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
      open(id, { entersFields: true })
      const index = await drawn?.indexOf(id)
      const { total = 0 } = drawn?.store.readState() ?? {}
      if (index !== undefined && index < total) drawn?.reveal(index, false)
    },
    [api, column, handles, open, record],
  )
}
