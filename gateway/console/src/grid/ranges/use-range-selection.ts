import type { GridApi } from 'ag-grid-community'
import {
  useEffect,
  useMemo,
  useRef,
  type KeyboardEvent,
  type MouseEvent,
  type PointerEvent,
  type RefObject,
} from 'react'
import type { Column, Row } from '../../api/resources'
import { extend, wholeGrid, type CellRange, type GridSize, type Place } from './cell-range'
import { RANGE_CLASS, RangeSelection } from './range-selection'

/** Milliseconds between two steps while the pointer is held above or below the rows. */
const SCROLL_MS = 60

/** The selected cells of a grid, with the handlers that select them. */
export interface RangeSelecting {
  readonly selection: RangeSelection
  readonly onPointerDown: (event: PointerEvent) => void
  readonly onMouseDown: (event: MouseEvent) => void
  /** Returns true if the key selected cells, and the grid must not handle it. */
  readonly onKey: (event: KeyboardEvent) => boolean
  /** Called when a cell is focused, by the keyboard or a click. */
  readonly onFocus: () => void
}

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

/** Selects ranges of cells by dragging, by a click with Shift, and by the arrow keys with Shift. */
export function useRangeSelection(parts: RangeGrid): RangeSelecting {
  const { grid, columns, body, rowCount } = parts
  const selection = useMemo(() => new RangeSelection(), [])
  const stopDrag = useRef(() => {})
  // Places of other columns have no meaning.
  useEffect(() => () => selection.set(undefined), [selection, columns])
  useEffect(
    () => selection.watch(() => body.current && drawRange(body.current, columns, selection)),
    [selection, columns, body],
  )
  useEffect(() => () => stopDrag.current(), [])
  return useMemo(() => {
    const focused = () => focusedPlace(grid, columns)
    const select = (head: Place, anchor = selection.current?.anchor ?? focused()) => {
      if (anchor) selection.set({ anchor, head })
    }
    return {
      selection,
      onPointerDown(event) {
        const place = placeAt(event.target, columns)
        // A finger scrolls.
        if (!place || event.button !== 0 || event.pointerType === 'touch') return
        stopDrag.current()
        if (event.shiftKey && focused()) {
          // The grid would move the focus, which stays where the range begins.
          event.stopPropagation()
          return select(place)
        }
        selection.set(undefined)
        stopDrag.current = followDrag({ grid, columns, body, rowCount }, (head) =>
          select(head, place),
        )
      },
      onMouseDown(event) {
        // The browser would move the focus, too.
        if (event.shiftKey && placeAt(event.target, columns) && focused()) event.preventDefault()
      },
      onKey(event) {
        const size = { rows: rowCount(), columns: columns.length }
        const at = focused()
        const range = selection.current ?? (at && { anchor: at, head: at })
        const next = afterKey(event, range, size)
        // Without a selection, Escape is for others.
        if (!next || (event.key === 'Escape' && !selection.current)) return false
        selection.set(next)
        if (event.shiftKey) showPlace(grid, columns, next.head)
        return true
      },
      onFocus() {
        const place = focused()
        const anchor = selection.current?.anchor
        if (anchor && (place?.row !== anchor.row || place.column !== anchor.column))
          selection.set(undefined)
      },
    }
  }, [selection, grid, columns, body, rowCount])
}

/** Returns the range that a key selects; undefined for other keys. */
function afterKey(
  { key, shiftKey, ctrlKey, metaKey }: KeyboardEvent,
  range: CellRange | undefined,
  size: GridSize,
): CellRange | undefined {
  const isControl = ctrlKey || metaKey
  if (shiftKey) return range && extend(range, { key, toEdge: isControl }, size)
  if (key === 'Escape') return range && { anchor: range.anchor, head: range.anchor }
  return isControl && key.toLowerCase() === 'a' ? wholeGrid(size) : undefined
}

/** Returns the place of the cell that contains an element, unless its editor does. */
function placeAt(target: EventTarget | null, columns: readonly Column[]): Place | undefined {
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
  return focused && column >= 0 ? { row: focused.rowIndex, column } : undefined
}

function showPlace({ current: api }: GridRef, columns: readonly Column[], place: Place): void {
  const column = columns[place.column]
  api?.ensureIndexVisible(place.row)
  if (column) api?.ensureColumnVisible(column.id)
}

/** Marks the selected cells among those that are drawn. The grid marks cells that it draws later. */
function drawRange(body: HTMLElement, columns: readonly Column[], selection: RangeSelection): void {
  for (const cell of body.querySelectorAll('.ag-cell[col-id]')) {
    const place = placeAt(cell, columns)
    cell.classList.toggle(RANGE_CLASS, place !== undefined && selection.has(place))
  }
}

/** Calls back with each cell that the pointer moves to while it is held, and scrolls with it. Returns a function that ends this. */
function followDrag(
  { grid, columns, body, rowCount }: RangeGrid,
  onMove: (head: Place) => void,
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
  const end = () => {
    clearInterval(scrolling)
    ended.abort()
  }
  const { signal } = ended
  window.addEventListener(
    'pointermove',
    (event) => {
      if ((event.buttons & 1) === 0) return end()
      const edgeOf = (selector: string) =>
        body.current?.querySelector(selector)?.getBoundingClientRect().bottom ?? NaN
      const isBelow = event.clientY > edgeOf('.ag-grid-viewport')
      step = Number(isBelow) - Number(event.clientY < edgeOf('.ag-header'))
      const place = placeAt(event.target, columns)
      if (place && step === 0) move(place)
    },
    { signal },
  )
  window.addEventListener('pointerup', end, { signal })
  return end
}
