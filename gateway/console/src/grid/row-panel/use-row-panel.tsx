import { useCallback, useEffect, useRef, useState, type ReactNode } from 'react'
import { useSearchParams } from 'react-router'
import { lazyComponent } from '../../components/lazy-component'
import { useIsShown } from '../../components/use-is-shown'
import type { CellContext } from '../../cells/editing/cell-type'
import { usePlace } from '../../presence/presence-provider'
import type { PanelParts } from './opened-panel'
import { useRowPlace } from './use-row-place'

const OpenedPanel = lazyComponent(async () => (await import('./opened-panel')).OpenedPanel)

/** The parameter of the address with the id of the row. */
const PARAMETER = 'row'

/** How the panel of a row is opened. */
export interface OpenOptions {
  readonly entersFields?: boolean
}

/** The row in the address of the page, and its panel. */
export interface OpenedRow {
  /** Opens the panel of a row, with `entersFields` to fill it in: with the focus in its first field. The same function each time. */
  readonly open: (rowId: number, options?: OpenOptions) => void
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
  const { rowId, setRow, step } = useRowParameter()
  usePreloadedPanel()
  usePlaceOfRow(context.tableId, rowId)
  const place = useRowPlace(rowId, store, screen)
  const [opening, setOpening] = useState<Opening>({ count: 0 })
  const open = useCallback(
    (opened: number, { entersFields = false }: OpenOptions = {}) => {
      setRow(opened)
      // A panel that is open already takes the focus again.
      setOpening(({ count }) => ({
        count: count + 1,
        enteredId: entersFields ? opened : undefined,
      }))
    },
    [setRow],
  )
  const left = useRef<number>(undefined)
  const leave = () => {
    left.current = place.index
    if (place.index !== undefined) screen.focus(place.index)
    setRow(undefined)
  }
  // Rows that the panel covered could not get the focus before.
  useEffect(() => {
    if (rowId === undefined && left.current !== undefined) screen.focus(left.current)
    left.current = undefined
  }, [rowId, screen])
  const panel =
    rowId === undefined ? undefined : (
      <OpenedPanel
        key={opening.count}
        context={context}
        parts={parts}
        rowId={rowId}
        entersFields={rowId === opening.enteredId}
        place={place}
        onStep={(next) => step(rowId, next)}
        onClose={leave}
      />
    )
  return { open, rowId, onRows: place.onRows, panel }
}

interface Opening {
  /** Number of times that a panel was opened. */
  readonly count: number
  /** The row that was opened to fill it in. */
  readonly enteredId?: number | undefined
}

/** Loads the code of the panel when the page is first used, so that the panel opens at once, also without a connection. */
function usePreloadedPanel(): void {
  useEffect(() => {
    const uses = ['focusin', 'pointerdown'] as const
    for (const use of uses) addEventListener(use, OpenedPanel.preload)
    return () => uses.forEach((use) => removeEventListener(use, OpenedPanel.preload))
  }, [])
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
  /** Navigates from a row, if it still is the one in the address, to another. */
  readonly step: (from: number, to: number) => void
}

function useRowParameter(): RowParameter {
  const [query, setQuery] = useSearchParams()
  const text = query.get(PARAMETER)
  const last = useRef({ text, setQuery })
  useEffect(() => {
    last.current = { text, setQuery }
  }, [text, setQuery])
  const isShown = useIsShown()
  const setRow = useCallback(
    (rowId: number | undefined) => {
      const { current } = last
      // A row that was added or found only now would lead back to a table that was left meanwhile.
      if (!isShown()) return
      const change = (before: URLSearchParams) => {
        const next = new URLSearchParams(before)
        if (rowId === undefined) next.delete(PARAMETER)
        else next.set(PARAMETER, String(rowId))
        return next
      }
      // Back closes the panel, whichever rows it has shown.
      if (String(rowId) !== current.text)
        current.setQuery(change, { replace: current.text !== null })
    },
    [isShown],
  )
  const step = useCallback(
    (from: number, to: number) => {
      // While the row was being read, the panel may have been closed, or another row opened.
      if (last.current.text === String(from)) setRow(to)
    },
    [setRow],
  )
  return { rowId: useOpenedId(), setRow, step }
}

const readId = (text: string): number =>
  /^[1-9]\d*$/.test(text) && Number.isSafeInteger(Number(text)) ? Number(text) : 0
