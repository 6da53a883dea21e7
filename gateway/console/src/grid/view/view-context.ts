import { createContext, use } from 'react'
import type { GridView } from './grid-view'

/** Shows another view. With `replace` it takes the place of the one before in the history of the browser. */
export type SetView = (view: GridView, options?: { readonly replace?: boolean }) => void

/** How rows are sorted and filtered, shared with the toolbar and the headers of columns. */
export interface GridViewState {
  readonly view: GridView
  readonly setView: SetView
}

/** Context of the rows of a table. */
export const GridViewContext = createContext<GridViewState | undefined>(undefined)

/** Returns how the rows around are sorted and filtered. Throws outside of a GridViewContext. */
export function useGridViewContext(): GridViewState {
  const state = use(GridViewContext)
  if (!state) throw new Error('useGridViewContext requires a GridViewContext')
  return state
}
