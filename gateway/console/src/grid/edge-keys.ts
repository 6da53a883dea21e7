import type { GridApi } from 'ag-grid-community'
import type { KeyboardEvent } from 'react'
import type { Column, Row } from '../api/resources'
import { isGridEntry } from '../components/entry'
import { until } from './rows/until'

/** What has the keyboard for a focused cell: elements in the row, and the field in which input methods compose. */
const FOCUSED = '.ag-row, .composition-field'

/**
 * Handles Home and End, by which the focus goes to the first and last cell of the row or, with Ctrl, of the table. (The grid library goes
 * to the first and last row by them, and leaves them with Ctrl to the browser, which scrolls and leaves the focus behind.) Returns true
 * for a key that has been handled.
 */
export function handleEdgeKey(
  event: KeyboardEvent,
  api: GridApi<Row>,
  columns: readonly Column[],
): boolean {
  const column = { Home: columns[0], End: columns.at(-1) }[event.key]
  const cell = api.getFocusedCell()
  if (!column || !cell || !isForCells(event)) return false
  event.preventDefault()
  event.stopPropagation()
  const isWhole = event.ctrlKey || event.metaKey
  const end = event.key === 'Home' ? 0 : api.getDisplayedRowCount() - 1
  const row = isWhole ? end : cell.rowIndex
  const pinned = isWhole ? null : cell.rowPinned
  if (!pinned) api.ensureIndexVisible(row)
  api.ensureColumnVisible(column.id)
  api.setFocusedCell(row, column.id, pinned)
  if (!pinned) void holdFocus(api, row, column.id)
  return true
}

/** False for keys of a header or an entry, and with Shift, which selects. */
const isForCells = ({ target, shiftKey, altKey }: KeyboardEvent): boolean =>
  target instanceof Element &&
  target.closest(FOCUSED) !== null &&
  !isGridEntry(target) &&
  !shiftKey &&
  !altKey

/** How long after a row was loaded its cells may be drawn again, for example since it was read again. */
const SETTLE_MS = 2_000

/** Gives the keyboard back to the focused cell, which loses it when it is drawn again after its row was loaded. */
async function holdFocus(api: GridApi<Row>, row: number, colId: string): Promise<void> {
  const idAtRow = () => api.getDisplayedRowAtIndex(row)?.data?.id
  let id: number | undefined
  const isLost = () => document.activeElement === document.body
  const isWanted = () => {
    const focused = api.isDestroyed() ? null : api.getFocusedCell()
    const isFocused = focused?.rowIndex === row && focused.column.getColId() === colId
    // Another row may be there after a change by someone else.
    const isSameRow = id === undefined || id === idAtRow()
    const hasKeyboard = isLost() || document.activeElement?.closest('.ag-row') !== null
    return isFocused && isSameRow && hasKeyboard
  }
  const isLoaded = () => (id = idAtRow()) !== undefined
  if (!(await until(isWanted, isLoaded))) return
  const end = performance.now() + SETTLE_MS
  await until(isWanted, () => {
    if (isLost()) api.setFocusedCell(row, colId)
    return performance.now() > end
  })
}
