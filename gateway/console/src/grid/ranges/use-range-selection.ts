import {
  useEffect,
  useMemo,
  useRef,
  type KeyboardEvent,
  type MouseEvent,
  type PointerEvent,
} from 'react'
import type { Column } from '../../api/resources'
import type { RowPlaces } from '../rows/row-places'
import { extend, wholeGrid, type CellRange, type GridSize, type Place } from './cell-range'
import { focusedPlace, followDrag, placeAt, showPlace, type RangeGrid } from './pointer-drag'
import { RANGE_CLASS, RANGE_END_CLASS, RangeSelection } from './range-selection'

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

interface PlacedGrid extends RangeGrid {
  readonly places: RowPlaces
}

/** Selects ranges of cells by dragging, by a click with Shift, and by the arrow keys with Shift. */
export function useRangeSelection(parts: PlacedGrid): RangeSelecting {
  const { grid, columns, body, rowCount, places } = parts
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
        const onMove = (head: Place) => select(head, place)
        stopDrag.current = followDrag({ grid, columns, body, rowCount }, { onMove })
      },
      onMouseDown(event) {
        // The browser would move the focus, too.
        if (event.shiftKey && placeAt(event.target, columns) && focused()) event.preventDefault()
      },
      onKey(event) {
        const size = { rows: rowCount(), columns: columns.length }
        const at = focused()
        const range = selection.current ?? (at && { anchor: at, head: at })
        const next = beyondHeaders(afterKey(event, range, size), range, places)
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
  }, [selection, grid, columns, body, rowCount, places])
}

/** An arrow key passes over the headers of groups. */
function beyondHeaders(
  next: CellRange | undefined,
  range: CellRange | undefined,
  { isGroup, nextRow }: RowPlaces,
): CellRange | undefined {
  if (!next || !range || !isGroup(next.head.row)) return next
  const step = next.head.row < range.head.row ? -1 : 1
  const row = nextRow(next.head.row, step)
  return row === undefined ? range : { ...next, head: { ...next.head, row } }
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

/** Marks the selected cells among those that are drawn. The grid marks cells that it draws later. */
function drawRange(body: HTMLElement, columns: readonly Column[], selection: RangeSelection): void {
  for (const cell of body.querySelectorAll('.ag-cell[col-id]')) {
    const place = placeAt(cell, columns)
    cell.classList.toggle(RANGE_CLASS, place !== undefined && selection.has(place))
    cell.classList.toggle(RANGE_END_CLASS, place !== undefined && selection.endsAt(place))
  }
}
