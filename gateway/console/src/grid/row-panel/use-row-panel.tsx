import { useCallback, useEffect, useRef, useState, type ReactNode } from 'react'
import { useSearchParams } from 'react-router'
import type { CellContext } from '../../cells/editing/cell-type'
import { usePlace } from '../../presence/presence-provider'
import { OpenedPanel, type PanelParts } from './opened-panel'
import { useRowPlace } from './use-row-place'

/** The parameter of the address with the id of the row. */
const PARAMETER = 'row'
/** The row in the address of the page, and its panel. */
export interface OpenedRow {
  /** Opens the panel of a row. The same function each time. */
  readonly open: (rowId: number) => void
  /** The id of the row; undefined while no panel is open. */
  readonly rowId: number | undefined
  /** Must be called when the view has loaded rows. */
  readonly onRows: () => void
  /** The panel; undefined while none is open. */
  readonly panel: ReactNode
}

/** Opens rows of a view in a panel beside it. */
export function useRowPanel(context: CellContext, parts: PanelParts): OpenedRow {
  const { store, screen } = parts
  const { rowId, setRow } = useRowParameter()
  usePlaceOfRow(context.tableId, rowId)
  const place = useRowPlace(rowId, store, screen)
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
    if (place.index !== undefined) screen.focus(place.index)
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
  return { open, rowId, onRows: place.onRows, panel }
}

/** Others see that this page has the row open. */
function usePlaceOfRow(tableId: string, rowId: number | undefined): void {
  const { move } = usePlace()
  useEffect(() => {
    if (rowId) move({ tableId, rowId })
  }, [move, tableId, rowId])
}

/** The id of the row in the address: 0 for one that no row can have, undefined for none. */
export function useOpenedId(): number | undefined {
  const [query] = useSearchParams()
  const text = query.get(PARAMETER)
  return text === null ? undefined : readId(text)
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
  return { rowId: useOpenedId(), setRow }
}

const readId = (text: string): number =>
  /^[1-9]\d*$/.test(text) && Number.isSafeInteger(Number(text)) ? Number(text) : 0
