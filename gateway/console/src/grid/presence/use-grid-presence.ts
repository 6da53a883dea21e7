import { SELECTION_COLUMN_ID } from 'ag-grid-community'
import type { PresencePlace } from '@sheaf/client'
import { useEffect, type RefObject } from 'react'
import { usePlace } from '../../presence/presence-provider'
import { NUMBER_COLUMN } from '../columns/number-column'
import { useMarkedPlaces, type RowPlace } from './marked-places'

/**
 * Marks the cells of a grid that others have focused with their names, and sets the place of this page to the cell that is focused
 * here.
 */
export function useGridPresence(body: RefObject<HTMLElement | null>, tableId: string): void {
  useMarkedPlaces(body, tableId, selectorOf)
  const { move } = usePlace()
  useEffect(() => {
    const { current: element } = body
    const follow = ({ target }: Event) => {
      const cell = target instanceof Element && target.closest('.ag-cell')
      if (cell) move({ tableId, ...placeOf(cell) })
    }
    element?.addEventListener('focusin', follow)
    return () => element?.removeEventListener('focusin', follow)
  }, [body, tableId, move])
}

/** Returns the row and the column of a cell; nothing for one of a row that is not loaded. */
function placeOf(cell: Element): Omit<PresencePlace, 'tableId'> {
  const rowId = Number(cell.closest('.ag-row')?.getAttribute('row-id'))
  const colId = cell.getAttribute('col-id') ?? ''
  if (!Number.isInteger(rowId) || rowId < 1) return {}
  const isColumn = colId !== NUMBER_COLUMN && colId !== SELECTION_COLUMN_ID
  return isColumn ? { rowId, colId } : { rowId }
}

/** The cell of a place; for a row without a column, such as one that is open in a panel, its number. */
const selectorOf = ({ rowId, colId = NUMBER_COLUMN }: RowPlace): string =>
  `.ag-row[row-id="${rowId}"] .ag-cell[col-id="${CSS.escape(colId)}"]`
