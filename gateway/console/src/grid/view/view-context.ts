import { createContext, use } from 'react'
import type { Column } from '../../api/resources'
import type { GridView } from './grid-view'

/** What the heads of columns share with the grid that they stand in. */
export interface ViewPlace {
  readonly view: GridView
  readonly setView: (view: GridView) => void
  /** Opens the menu of a column at its head. */
  readonly openMenu: (column: Column, head: HTMLElement) => void
}

/** The grid around a head. */
export const ViewContext = createContext<ViewPlace | undefined>(undefined)

/** The grid around the head that asks. */
export function useViewPlace(): ViewPlace {
  const place = use(ViewContext)
  if (!place) throw new Error('no grid is around this')
  return place
}
