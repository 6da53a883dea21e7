import type { Groups } from '@sheaf/client'
import { createContext, use, useSyncExternalStore } from 'react'
import type { Column } from '../../api/resources'
import type { CellContext } from '../../cells/editing/cell-type'
import type { GroupedRows } from '../groups/grouped-rows'
import type { LiveGroups } from '../groups/live-groups'
import type { ColumnSummary } from './summaries'

/** The groups and summaries of a grid, for what it draws. */
export interface Grouping {
  readonly cells: CellContext
  /** The columns by which rows are grouped, outermost first. */
  readonly groupedBy: readonly Column[]
  readonly summaries: readonly ColumnSummary[]
  readonly live: LiveGroups
  /** Undefined for rows without groups. */
  readonly grouped: GroupedRows | undefined
  /** Opens the menu with the summaries of a column at an element. */
  readonly openSummaries: (column: Column, at: HTMLElement) => void
}

export const GroupingContext = createContext<Grouping | undefined>(undefined)

/** Returns the groups and summaries of the surrounding grid. Throws outside of one. */
export function useGrouping(): Grouping {
  const grouping = use(GroupingContext)
  if (!grouping) throw new Error('useGrouping requires a GroupingContext')
  return grouping
}

/** Returns the groups as they were read last. */
export function useLatestGroups({ live }: Grouping): Groups | undefined {
  return useSyncExternalStore(live.watch, live.readState)
}
