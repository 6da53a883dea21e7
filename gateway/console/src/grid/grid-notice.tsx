import { useSyncExternalStore, type ReactNode } from 'react'
import { Button } from '../components/button'
import { Empty, ErrorState, Loading } from '../components/states'
import { useToaster } from '../components/toast'
import { isPassing } from '../api/passing-error'
import { UndoButtons } from '../undo/undo-buttons'
import type { RowStore, StoreState } from './rows/row-store'
import type { RowCommands } from './row-commands/use-row-commands'

/** Buttons to add rows and columns, and to delete the selected rows. */
export function RowButtons(props: {
  readonly rows: RowCommands
  readonly onAddColumn: () => void
}): ReactNode {
  const { rows, onAddColumn } = props
  const { isAdding, add, selected, remove } = rows
  const toaster = useToaster()
  const count = selected.length
  return (
    <div className="row-buttons">
      <UndoButtons />
      <Button isBusy={isAdding} title="Add row (Shift+Enter in a cell)" onClick={add}>
        Add row
      </Button>
      <Button onClick={onAddColumn}>Add column</Button>
      {count > 0 && (
        <Button kind="danger" onClick={() => void remove(selected).catch(toaster.showError)}>
          Delete {count === 1 ? 'row' : `${count.toLocaleString()} rows`}
        </Button>
      )}
    </div>
  )
}

/** The error of the last cell change. */
export function GridNotice(props: {
  readonly problem: string | undefined
  readonly onDismiss: () => void
}): ReactNode {
  const { problem, onDismiss } = props
  if (problem === undefined) return null
  return (
    <div className="grid-notice" role="alert">
      <span>{problem}</span>
      <Button kind="quiet" className="icon" aria-label="Dismiss" onClick={onDismiss}>
        ✕
      </Button>
    </div>
  )
}

/** Says that rows which are shown may be old, since the server cannot be reached. */
export function AwayNotice({ store }: { readonly store: RowStore }): ReactNode {
  const { total, error } = useSyncExternalStore(store.watchState, store.readState)
  if (total === undefined || !isPassing(error)) return null
  return (
    <div className="grid-notice" role="status">
      <span>Rows cannot be read at the moment, and those shown may be old. Trying again…</span>
    </div>
  )
}

interface GridMessageProps {
  readonly store: RowStore
  readonly hasColumns: boolean
  readonly isFiltered: boolean
  /** What is searched for; empty for nothing. */
  readonly search: string
  readonly canEdit: boolean
  readonly isPast: boolean
  readonly onClearFilters: () => void
  readonly onClearSearch: () => void
}

/** An error that stays takes the place of the rows; with one that passes, those that are loaded stay. */
const hidesRows = ({ total, error }: Pick<StoreState, 'total' | 'error'>): boolean =>
  error !== undefined && (total === undefined || !isPassing(error))

/** The state of a grid without rows: loading, empty, or an error. */
export function GridMessage(props: GridMessageProps): ReactNode {
  const { store, hasColumns, isFiltered, search, canEdit, isPast, onClearFilters } = props
  const { total, error } = useSyncExternalStore(store.watchState, store.readState)
  const clear = <Button onClick={onClearFilters}>Clear all filters</Button>
  const message = () => {
    if (hidesRows({ total, error }))
      return (
        <>
          <ErrorState error={error} onRetry={() => store.retry()} />
          {isFiltered && clear}
        </>
      )
    if (!hasColumns) return <NoColumns {...props} />
    if (total === undefined) return <Loading what="the rows" />
    if (total > 0) return null
    if (search !== '') return <NothingFound {...props} />
    if (isFiltered) return <Empty title="No rows match the filters">{clear}</Empty>
    if (isPast) return <Empty title="This table had no rows at this moment" />
    return (
      <Empty title="This table has no rows yet">
        <p>
          {canEdit
            ? 'Add a row with the button above, or through the API.'
            : 'Rows appear here when an editor adds them.'}
        </p>
      </Empty>
    )
  }
  const shown = message()
  return (
    shown && (
      <div className="grid-message">
        <div>{shown}</div>
      </div>
    )
  )
}

function NoColumns({ canEdit, isPast }: Pick<GridMessageProps, 'canEdit' | 'isPast'>): ReactNode {
  if (isPast) return <Empty title="This table had no columns at this moment" />
  return (
    <Empty title="This table has no columns yet">
      <p>{canEdit ? 'Add a column to enter data.' : 'Editors can add columns.'}</p>
    </Empty>
  )
}

function NothingFound(
  props: Pick<GridMessageProps, 'search' | 'isFiltered' | 'onClearSearch'>,
): ReactNode {
  const { search, isFiltered, onClearSearch } = props
  return (
    <Empty title={`Nothing found for “${search}”`}>
      {isFiltered && <p>Only rows that match the filters are searched.</p>}
      <Button onClick={onClearSearch}>Clear search</Button>
    </Empty>
  )
}
