import { useState, useSyncExternalStore, type ReactNode } from 'react'
import { Button } from '../components/button'
import { ConfirmDialog } from '../components/dialog'
import { Empty, ErrorState } from '../components/states'
import { useToaster } from '../components/toast'
import type { RowStore } from './rows/row-store'
import type { RowCommands } from './use-row-commands'

/** Buttons to add rows and columns, and to delete the rows that are selected. */
export function RowButtons(props: {
  readonly rows: RowCommands
  readonly onAddColumn: () => void
}): ReactNode {
  const { rows, onAddColumn } = props
  const { isAdding, add, selected, remove } = rows
  const toaster = useToaster()
  const [isAsking, setAsking] = useState(false)
  const count = selected.length
  const deleteRows = () => {
    if (count > 1) setAsking(true)
    else remove().catch(toaster.showError)
  }
  return (
    <div className="row-buttons">
      <Button isBusy={isAdding} onClick={add}>
        Add row
      </Button>
      <Button onClick={onAddColumn}>Add column</Button>
      {count > 0 && (
        <Button kind="danger" onClick={deleteRows}>
          Delete {count === 1 ? 'row' : `${count.toLocaleString()} rows`}
        </Button>
      )}
      {isAsking && (
        <ConfirmDialog
          title={`Delete ${count.toLocaleString()} rows?`}
          confirm="Delete rows"
          onConfirm={remove}
          onClose={() => setAsking(false)}
        >
          <p>What was in them stays in the history of the document.</p>
        </ConfirmDialog>
      )}
    </div>
  )
}

/** Why the last change of cells was refused. */
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

interface GridMessageProps {
  readonly store: RowStore
  readonly hasColumns: boolean
  readonly isFiltered: boolean
  readonly canEdit: boolean
  readonly onClearFilters: () => void
}

/** What stands in a grid that has no rows to show: why, and what to do next. */
export function GridMessage(props: GridMessageProps): ReactNode {
  const { store, hasColumns, isFiltered, canEdit, onClearFilters } = props
  const { total, error } = useSyncExternalStore(store.watchState, store.readState)
  const clear = <Button onClick={onClearFilters}>Clear all filters</Button>
  const message = () => {
    if (error !== undefined)
      return (
        <>
          <ErrorState error={error} onRetry={() => store.retry()} />
          {isFiltered && clear}
        </>
      )
    if (!hasColumns)
      return (
        <Empty title="This table has no columns yet">
          <p>{canEdit ? 'Add one to write something into.' : 'Who may edit it can add some.'}</p>
        </Empty>
      )
    if (total !== 0) return null
    if (isFiltered) return <Empty title="No row passes the filters">{clear}</Empty>
    return (
      <Empty title="This table has no rows yet">
        <p>
          {canEdit
            ? 'Add one with the button above, or by the API.'
            : 'Rows show here as soon as somebody adds them.'}
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
