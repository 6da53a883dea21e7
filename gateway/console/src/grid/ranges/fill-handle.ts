import type { PointerEvent } from 'react'
import { blockOf, type Block } from './cell-range'
import { focusedPlace, followDrag, type RangeGrid } from './pointer-drag'
import { RANGE_END_CLASS, type RangeSelection } from './range-selection'

/** Size of the handle in the corner of the last selected cell, with some pixels around it. */
const HANDLE_PIXELS = 11

/**
 * Begins to drag the handle of the selected cells, or of the focused one, up or down over those to fill. Returns true if the
 * pointer was pressed on it.
 */
export function dragFillHandle(
  event: PointerEvent,
  parts: RangeGrid & { readonly selection: RangeSelection },
  onFill: (source: Block, whole: Block) => void,
): boolean {
  const { selection, grid, columns } = parts
  const at = focusedPlace(grid, columns)
  const range = selection.current ?? (at && { anchor: at, head: at })
  if (!range || event.button !== 0 || !isOnHandle(event, selection.current !== undefined))
    return false
  // The grid would focus the cell, and begin another selection.
  event.stopPropagation()
  event.preventDefault()
  const source = blockOf(range)
  const extended = (row: number): Block => ({
    ...source,
    firstRow: Math.min(source.firstRow, row),
    lastRow: Math.max(source.lastRow, row),
  })
  const show = ({ firstRow, lastRow, firstColumn, lastColumn }: Block, isUp: boolean) =>
    selection.set({
      anchor: { row: isUp ? lastRow : firstRow, column: firstColumn },
      head: { row: isUp ? firstRow : lastRow, column: lastColumn },
    })
  followDrag(parts, {
    onMove: ({ row }) => show(extended(row), row < source.firstRow),
    onEnd(head) {
      const whole = extended(head?.row ?? source.firstRow)
      if (whole.firstRow < source.firstRow || whole.lastRow > source.lastRow) onFill(source, whole)
    },
  })
  return true
}

function isOnHandle({ target, clientX, clientY }: PointerEvent, isRange: boolean): boolean {
  const cell = target instanceof Element ? target.closest('.ag-cell') : null
  if (!cell?.matches(isRange ? `.${RANGE_END_CLASS}` : '.ag-cell-focus')) return false
  const { right, bottom } = cell.getBoundingClientRect()
  return clientX > right - HANDLE_PIXELS && clientY > bottom - HANDLE_PIXELS
}
