import type { GridApi } from 'ag-grid-community'
import type { RefObject } from 'react'
import type { Column, Row } from '../../api/resources'
import { blockOf, type Block, type Place } from './cell-range'

/** Milliseconds between two steps while the pointer is held above or below the rows. */
const SCROLL_MS = 60

/** A ref to the AG Grid API, set while the grid is mounted. */
type GridRef = RefObject<GridApi<Row> | null>

/** What ranges are selected in. */
export interface RangeGrid {
  readonly grid: GridRef
  readonly columns: readonly Column[]
  readonly body: RefObject<HTMLElement | null>
  /** Returns the number of rows. */
  readonly rowCount: () => number
}

/** Returns the place of the cell that contains an element, unless its editor does. */
export function placeAt(target: EventTarget | null, columns: readonly Column[]): Place | undefined {
  const cell = target instanceof Element ? target.closest('.ag-cell') : null
  const row = Number(cell?.closest('.ag-row')?.getAttribute('row-index') ?? NaN)
  const column = columns.findIndex(({ id }) => id === cell?.getAttribute('col-id'))
  const isEdited = cell?.classList.contains('ag-cell-inline-editing') === true
  return column < 0 || Number.isNaN(row) || isEdited ? undefined : { row, column }
}

/** Returns the place of the focused cell. */
export function focusedPlace(
  { current: api }: GridRef,
  columns: readonly Column[],
): Place | undefined {
  const focused = api?.getFocusedCell()
  const column = columns.findIndex(({ id }) => id === focused?.column.getColId())
  return focused && !focused.rowPinned && column >= 0
    ? { row: focused.rowIndex, column }
    : undefined
}

/** Returns the focused cell as a block. */
export function focusedCell(grid: GridRef, columns: readonly Column[]): Block | undefined {
  const at = focusedPlace(grid, columns)
  return at && blockOf({ anchor: at, head: at })
}

/** Scrolls to a cell. */
export function showPlace(
  { current: api }: GridRef,
  columns: readonly Column[],
  place: Place,
): void {
  const column = columns[place.column]
  api?.ensureIndexVisible(place.row)
  if (column) api?.ensureColumnVisible(column.id)
}

let dragged = 0

/** True while the pointer is held that selects cells, or fills them. */
export const isDragging = (): boolean => dragged > 0

interface DragListener {
  /** Called with each cell that the pointer moves to. */
  readonly onMove: (head: Place) => void
  /** Called when the pointer is released, with the last of these cells. */
  readonly onEnd?: (head: Place | undefined) => void
}

/** Follows the pointer while it is held, and scrolls with it. Returns a function that ends this. */
export function followDrag(
  { grid, columns, body, rowCount }: RangeGrid,
  { onMove, onEnd }: DragListener,
): () => void {
  const ended = new AbortController()
  let head: Place | undefined
  let step = 0
  const move = (place: Place) => {
    head = place
    onMove(place)
  }
  const scrolling = setInterval(() => {
    if (step === 0 || !head) return
    const row = Math.max(0, Math.min(rowCount() - 1, head.row + step))
    move({ ...head, row })
    showPlace(grid, columns, { ...head, row })
  }, SCROLL_MS)
  const { signal } = ended
  const end = () => {
    if (!signal.aborted) dragged--
    clearInterval(scrolling)
    ended.abort()
  }
  dragged++
  const release = () => {
    end()
    onEnd?.(head)
  }
  window.addEventListener(
    'pointermove',
    (event) => {
      if ((event.buttons & 1) === 0) return release()
      const edgeOf = (selector: string) =>
        body.current?.querySelector(selector)?.getBoundingClientRect().bottom ?? NaN
      const isBelow = event.clientY > edgeOf('.ag-grid-viewport')
      step = Number(isBelow) - Number(event.clientY < edgeOf('.ag-header'))
      const place = placeAt(event.target, columns)
      if (place && step === 0) move(place)
    },
    { signal },
  )
  window.addEventListener('pointerup', release, { signal })
  window.addEventListener('pointercancel', end, { signal })
  return end
}
