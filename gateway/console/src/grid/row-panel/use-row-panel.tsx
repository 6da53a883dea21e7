import { useCallback, useEffect, useRef, useState, type ReactNode, type RefObject } from 'react'
import { useSearchParams } from 'react-router'
import type { CellContext } from '../../cells/editing/cell-type'
import type { Column } from '../../api/resources'
import type { RowStore } from '../rows/row-store'
import { OpenedPanel, type PanelParts } from './opened-panel'
import { useRowPlace, type GridRef } from './use-row-place'

/** The parameter of the address with the id of the row. */
const PARAMETER = 'row'
/** The class of the row in the panel. */
export const OPENED_CLASS = 'row-opened'

interface RowPanelParts extends PanelParts {
  readonly store: RowStore
  readonly grid: GridRef
  /** The element that contains the grid. */
  readonly body: RefObject<HTMLElement | null>
}

/** The row in the address of the page, and its panel. */
export interface OpenedRow {
  /** Opens the panel of a row. The same function each time. */
  readonly open: (rowId: number) => void
  /** The id of the row; undefined while no panel is open. */
  readonly id: RefObject<number | undefined>
  /** Must be called when the grid has loaded rows. */
  readonly onRows: () => void
  /** The panel; undefined while none is open. */
  readonly panel: ReactNode
}

/** Opens rows of a grid in a panel beside it. */
export function useRowPanel(context: CellContext, parts: RowPanelParts): OpenedRow {
  const { store, grid, body, shown } = parts
  const { rowId, setRow } = useRowParameter()
  const place = useRowPlace(rowId, store, grid)
  const id = useOpenedMark(rowId, body)
  const [openings, setOpenings] = useState(0)
  const open = useCallback(
    (opened: number) => {
      setRow(opened)
      // A panel that is open already takes the focus again.
      setOpenings((count) => count + 1)
    },
    [setRow],
  )
  const leave = () => {
    focusRow(grid, place.index, shown)
    setRow(undefined)
  }
  const panel =
    rowId === undefined ? undefined : (
      <OpenedPanel
        key={openings}
        context={context}
        parts={parts}
        rowId={rowId}
        place={place}
        onStep={setRow}
        onClose={leave}
      />
    )
  return { open, id, onRows: place.onRows, panel }
}

interface RowParameter {
  /** The id in the address: 0 for one that no row can have, undefined for none. */
  readonly rowId: number | undefined
  /** Navigates to a row, or removes it from the address. The same function each time. */
  readonly setRow: (rowId: number | undefined) => void
}

function useRowParameter(): RowParameter {
  const [query, setQuery] = useSearchParams()
  const text = query.get(PARAMETER)
  const last = useRef({ text, setQuery })
  useEffect(() => {
    last.current = { text, setQuery }
  }, [text, setQuery])
  const setRow = useCallback((rowId: number | undefined) => {
    const { current } = last
    const change = (before: URLSearchParams) => {
      const next = new URLSearchParams(before)
      if (rowId === undefined) next.delete(PARAMETER)
      else next.set(PARAMETER, String(rowId))
      return next
    }
    // Back closes the panel, whichever rows it has shown.
    if (String(rowId) !== current.text) current.setQuery(change, { replace: current.text !== null })
  }, [])
  return { rowId: text === null ? undefined : readId(text), setRow }
}

const readId = (text: string): number =>
  /^[1-9]\d*$/.test(text) && Number.isSafeInteger(Number(text)) ? Number(text) : 0

/** Marks the row among those that are drawn. Returns its id, for rows that the grid draws later. */
function useOpenedMark(
  rowId: number | undefined,
  body: RefObject<HTMLElement | null>,
): RefObject<number | undefined> {
  const id = useRef(rowId)
  useEffect(() => {
    id.current = rowId
    for (const row of body.current?.querySelectorAll('.ag-row') ?? [])
      row.classList.toggle(OPENED_CLASS, row.getAttribute('row-id') === String(rowId))
  }, [rowId, body])
  return id
}

/** Focuses a row of the grid, in the column that was focused before. */
function focusRow(
  { current: api }: GridRef,
  index: number | undefined,
  [first]: readonly Column[],
): void {
  if (!api || index === undefined || index >= api.getDisplayedRowCount()) return
  const column = api.getFocusedCell()?.column ?? first?.id
  if (column === undefined) return
  api.ensureIndexVisible(index)
  api.setFocusedCell(index, column)
}
