import { createContext, use } from 'react'
import type { Column } from '../../api/resources'
import type { GridView } from './grid-view'

/** Shows another view. With `replace` it takes the place of the one before in the history of the browser. */
export type SetView = (view: GridView, options?: { readonly replace?: boolean }) => void

/** State of the grid shared with its toolbar and column headers. */
export interface GridViewState {
  readonly view: GridView
  readonly setView: SetView
  /** Opens the menu of a column at its header. */
  readonly openMenu: (column: Column, header: HTMLElement) => void
}

/** Context of the grid. */
export const GridViewContext = createContext<GridViewState | undefined>(undefined)

/** Returns the state of the surrounding grid. Throws outside of a grid. */
export function useGridViewContext(): GridViewState {
  const state = use(GridViewContext)
  if (!state) throw new Error('useGridViewContext requires a GridViewContext')
  return state
}
