import { useEffect, useMemo, useRef, type RefObject } from 'react'
import type { Column } from '../api/resources'
import type { CellContext } from '../cells/editing/cell-type'
import type { PanelParts } from './row-panel/opened-panel'
import { useRowPanel, type OpenedRow } from './row-panel/use-row-panel'
import type { RowsOnScreen } from './row-panel/use-row-place'
import type { GridRef } from './live-rows/use-grid-rows'

/** The class of the row in the panel. */
export const OPENED_CLASS = 'row-opened'

/** The row of a grid that is open in a panel. */
export interface GridPanel extends OpenedRow {
  /** Its id, for rows that are drawn later. */
  readonly openedId: RefObject<number | undefined>
}

interface GridRefs {
  readonly grid: GridRef
  /** The element that contains the grid. */
  readonly body: RefObject<HTMLElement | null>
}

/** Opens rows of a grid in a panel beside it, and marks the one that is open. */
export function useGridPanel(
  context: CellContext,
  parts: Omit<PanelParts, 'screen'>,
  { grid, body }: GridRefs,
): GridPanel {
  const screen = useGridScreen(grid, parts.shown)
  const opened = useRowPanel(context, { ...parts, screen })
  return { ...opened, openedId: useOpenedMark(opened.rowId, body) }
}

/** Returns how rows of a grid are scrolled to, and get the focus: in the column that was focused before. */
function useGridScreen(grid: GridRef, [first]: readonly Column[]): RowsOnScreen {
  const firstId = first?.id
  return useMemo<RowsOnScreen>(
    () => ({
      scrollTo: (index) => grid.current?.ensureIndexVisible(index),
      focus(index) {
        const { current: api } = grid
        if (!api || index >= api.getDisplayedRowCount()) return
        const column = api.getFocusedCell()?.column ?? firstId
        if (column === undefined) return
        api.ensureIndexVisible(index)
        api.setFocusedCell(index, column)
      },
    }),
    [grid, firstId],
  )
}

/** Marks the row in the panel among those that are drawn. Returns its id, for rows that the grid draws later. */
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
