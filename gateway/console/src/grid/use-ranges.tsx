import {
  useCallback,
  useMemo,
  type ClipboardEvent,
  type KeyboardEvent,
  type PointerEvent,
  type ReactNode,
} from 'react'
import type { Column, Row } from '../api/resources'
import type { CellContext } from '../cells/editing/cell-type'
import { useCopySource } from './clipboard/use-copy-source'
import { createRangeHandlers, type RangeHandlers } from './ranges/range-handlers'
import type { RowSource } from './ranges/range-rows'
import { useChangeGuard } from './ranges/use-change-guard'
import { useGrowth } from './ranges/use-growth'
import { useRangeRows, type RangeRows } from './ranges/use-range-rows'
import { dragFillHandle } from './ranges/fill-handle'
import { focusedCell } from './ranges/pointer-drag'
import { useRangeSelection, type RangeSelecting } from './ranges/use-range-selection'
import type { CellEditing } from './editing/use-cell-editing'
import type { FollowedGrid } from './use-followed-focus'
import type { GridRef, GridRows } from './live-rows/use-grid-rows'

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

interface RangeTable extends CellContext {
  readonly columns: readonly Column[]
}

/** Selects cells of a grid, copies them and changes them. */
export function useRanges(
  { readPage, store, writes }: GridRows,
  table: RangeTable,
  { write, report }: Pick<CellEditing, 'write' | 'report'>,
  followed: FollowedGrid,
): Ranges {
  const { columns, canEdit } = table
  const { grid, body } = followed
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
  const guard = useChangeGuard(followed, { store, selection, report })
  const read = useRangeRows(selection, source)
  const copied = useCopySource(table)
  const { askToGrow, dialog } = useGrowth(table, { writes, report })
  const handlers = useMemo(
    () =>
      createRangeHandlers({
        columns,
        canEdit,
        copied,
        source,
        rowCount,
        write,
        report,
        askToGrow,
        selected: () => selection.read() ?? focusedCell(grid, columns),
        lastRead: () => read,
      }),
    [columns, canEdit, copied, source, rowCount, write, report, askToGrow, selection, grid, read],
  )
  const onKeyDown = useCallback(
    (event: KeyboardEvent) => {
      const { target } = event
      if (!(target instanceof Element && target.closest('.ag-cell'))) return
      const isRefused = canEdit && guard.refusesKey(event)
      if (!isRefused && !handlers.onKey(event) && !selecting.onKey(event)) return
      event.preventDefault()
      event.stopPropagation()
    },
    [canEdit, guard, handlers, selecting],
  )
  const onPointerDown = useCallback(
    (event: PointerEvent) => {
      const isFill = canEdit && dragFillHandle(event, { ...parts, selection }, handlers.fill)
      if (!isFill) selecting.onPointerDown(event)
    },
    [canEdit, parts, selection, handlers, selecting],
  )
  const { onCopy } = handlers
  const unlessRefused = (handle: (event: ClipboardEvent) => void) => (event: ClipboardEvent) => {
    if (canEdit && guard.refuses(event.target)) event.preventDefault()
    else handle(event)
  }
  const onCut = unlessRefused(handlers.onCut)
  const onPaste = unlessRefused(handlers.onPaste)
  return { selecting, read, onKeyDown, onPointerDown, onCopy, onCut, onPaste, dialog }
}

/**
 * Returns the row at an index: the one that the grid displays there. It lags behind the store during a refresh, and edits must
 * apply to the displayed row.
 */
function displayedRow(
  { current: api }: GridRef,
  store: GridRows['store'],
  index: number,
): Row | undefined {
  const row = store.at(index)
  return row && (api?.getDisplayedRowAtIndex(index)?.data ?? row)
}
