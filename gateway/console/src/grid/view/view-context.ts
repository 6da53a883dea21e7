import { createContext, use } from 'react'
import type { Column } from '../../api/resources'
import type { GridView } from './grid-view'

/** What the heads of columns share with the grid that they stand in. */
export interface GridViewState {
  readonly view: GridView
  readonly setView: (view: GridView) => void
  /** Opens the menu of a column at its head. */
  readonly openMenu: (column: Column, head: HTMLElement) => void
}

/** The grid around a head. */
export const GridViewContext = createContext<GridViewState | undefined>(undefined)

/** The grid around the head that asks. */
export function useGridViewContext(): GridViewState {
  const place = use(GridViewContext)
  if (!place) throw new Error('no grid is around this')
  return place
}
