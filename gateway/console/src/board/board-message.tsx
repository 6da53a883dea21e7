import { useSyncExternalStore, type ReactNode } from 'react'
import type { CellContext } from '../cells/editing/cell-type'
import { GridMessage } from '../grid/grid-notice'
import type { RowStore } from '../grid/rows/row-store'
import { useGridViewContext } from '../grid/view/view-context'

interface BoardMessageProps {
  readonly context: CellContext
  /** All rows of the view. */
  readonly store: RowStore
  /** What is searched for; empty for nothing. */
  readonly search: string
  readonly hasColumns: boolean
  readonly onClearSearch: () => void
}

/** Why there are no cards. A table without rows has lanes nevertheless, to which cards are added. */
export function BoardMessage(props: BoardMessageProps): ReactNode {
  const { context, store, search, hasColumns, onClearSearch } = props
  const { canEdit, asOf } = context
  const { view, setView } = useGridViewContext()
  const { total, error } = useSyncExternalStore(store.watchState, store.readState)
  const isFiltered = Object.keys(view.filter).length > 0
  const isPast = asOf !== undefined
  if (total === 0 && error === undefined && !isFiltered && search === '' && !isPast) return null
  return (
    <GridMessage
      store={store}
      hasColumns={hasColumns}
      isFiltered={isFiltered}
      search={search}
      canEdit={canEdit}
      isPast={isPast}
      onClearFilters={() => setView({ ...view, filter: {} })}
      onClearSearch={onClearSearch}
    />
  )
}
