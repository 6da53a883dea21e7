import {
  useCallback,
  useMemo,
  useState,
  type KeyboardEvent,
  type PointerEvent,
  type ReactNode,
  type RefObject,
} from 'react'
import type { Column, Row } from '../api/resources'
import type { CellContext } from '../cells/editing/cell-type'
import type { Place } from './ranges/cell-range'
import { GrowthDialog, type Growth } from './ranges/growth-dialog'
import { createRangeHandlers, type RangeHandlers } from './ranges/range-handlers'
import type { RowSource } from './ranges/range-rows'
import { useRangeRows, type RangeRows } from './ranges/use-range-rows'
import { useGridPresence } from './presence/use-grid-presence'
import { dragFillHandle } from './ranges/fill-handle'
import { focusedPlace } from './ranges/pointer-drag'
import { useRangeSelection, type RangeSelecting } from './ranges/use-range-selection'
import type { CellEditing } from './use-cell-editing'
import type { GridRef, GridRows } from './use-grid-rows'

/** The selected cells of a grid, and what is done with them. */
export interface Ranges extends Pick<RangeHandlers, 'onCopy' | 'onCut' | 'onPaste'> {
  readonly selecting: RangeSelecting
  /** The rows of the selection, once they are read. */
  readonly read: RangeRows | undefined
  readonly onKeyDown: (event: KeyboardEvent) => void
  readonly onPointerDown: (event: PointerEvent) => void
  /** The open dialog, if any. */
  readonly dialog: ReactNode
}

interface RangeTable extends Pick<CellContext, 'docId' | 'tableId' | 'canEdit'> {
  readonly columns: readonly Column[]
}

interface GridRefs {
  readonly grid: GridRef
  /** The element that contains the grid. */
  readonly body: RefObject<HTMLDivElement | null>
}

/** Selects cells of a grid, copies them and changes them. */
export function useRanges(
  { readPage, store }: GridRows,
  { docId, tableId, columns, canEdit }: RangeTable,
  { write, report }: Pick<CellEditing, 'write' | 'report'>,
  { grid, body }: GridRefs,
): Ranges {
  useGridPresence(body, tableId)
  const rowCount = useCallback(() => store.readState().total ?? 0, [store])
  const parts = useMemo(
    () => ({ grid, columns, body, rowCount, places: store.places }),
    [grid, columns, body, rowCount, store],
  )
  const selecting = useRangeSelection(parts)
  const { selection } = selecting
  const source = useMemo<RowSource>(
    () => ({
      at: (index) => displayedRow(grid, store, index),
      readPage,
      places: store.places,
    }),
    [grid, store, readPage],
  )
  const read = useRangeRows(selection, source)
  const [growing, askToGrow] = useState<Growth>()
  const handlers = useMemo(
    () =>
      createRangeHandlers({
        columns,
        canEdit,
        source,
        rowCount,
        write,
        report,
        askToGrow,
        selected: () => selection.read() ?? oneCell(focusedPlace(grid, columns)),
        lastRead: () => read,
      }),
    [columns, canEdit, source, rowCount, write, report, selection, grid, read],
  )
  const onKeyDown = useCallback(
    (event: KeyboardEvent) => {
      const isCell = event.target instanceof Element && event.target.closest('.ag-cell') !== null
      if (!isCell || (!handlers.onKey(event) && !selecting.onKey(event))) return
      event.preventDefault()
      event.stopPropagation()
    },
    [handlers, selecting],
  )
  const onPointerDown = useCallback(
    (event: PointerEvent) => {
      const isFill = canEdit && dragFillHandle(event, { ...parts, selection }, handlers.fill)
      if (!isFill) selecting.onPointerDown(event)
    },
    [canEdit, parts, selection, handlers, selecting],
  )
  const { onCopy, onCut, onPaste } = handlers
  const close = useCallback(() => askToGrow(undefined), [])
  const dialog = growing && (
    <GrowthDialog docId={docId} tableId={tableId} growth={growing} onClose={close} />
  )
  return { selecting, read, onKeyDown, onPointerDown, onCopy, onCut, onPaste, dialog }
}

const oneCell = (place: Place | undefined) =>
  place && {
    firstRow: place.row,
    lastRow: place.row,
    firstColumn: place.column,
    lastColumn: place.column,
  }

/**
 * Returns the row at an index; undefined where the grid displays another row. The grid lags behind the store during a
 * refresh, and edits must apply to the displayed row.
 */
function displayedRow(
  { current: api }: GridRef,
  store: GridRows['store'],
  index: number,
): Row | undefined {
  const row = store.at(index)
  const shown = api?.getDisplayedRowAtIndex(index)?.data
  return shown && shown.id !== row?.id ? undefined : row
}
