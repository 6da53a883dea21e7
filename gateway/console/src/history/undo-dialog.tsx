import { useState, type ReactNode } from 'react'
import { Link } from 'react-router'
import { ApiError } from '../api/client'
import { useApiMutation } from '../components/use-api-mutation'
import { ConfirmDialog } from '../components/dialog'
import { useDocumentContext } from '../document-context/document-context'
import { useCurrentUser } from '../session/session-provider'
import { authorOf, describeChange, describeConflict } from './describe-change'
import { historyPath, revertChange, type Change, type Conflict } from './history-queries'

interface UndoDialogProps {
  readonly change: Change
  readonly onClose: () => void
}

/** Confirms the undo of a change, and lists conflicting changes. */
export function UndoDialog({ change, onClose }: UndoDialogProps): ReactNode {
  const { docId } = useDocumentContext()
  const { id } = useCurrentUser()
  const [conflicts, setConflicts] = useState<readonly Conflict[]>([])
  // An undo can affect rows, columns and tables.
  const { mutate } = useApiMutation(['document', docId])
  const { seq } = change
  const undo = async () => {
    setConflicts([])
    try {
      await mutate(() => revertChange(docId, seq), `Change ${seq} undone.`)
    } catch (error) {
      setConflicts(conflictsOf(error))
      throw error
    }
  }
  return (
    <ConfirmDialog
      title={`Undo change ${seq.toLocaleString()}?`}
      confirm="Undo"
      onClose={onClose}
      onConfirm={undo}
    >
      <p>
        <strong>{authorOf(change, id)}</strong> {describeChange(change)}.
      </p>
      <p className="note">
        Undoing creates a new change, which can be undone too. If anything it affects was changed
        since, nothing is undone.
      </p>
      {conflicts.length > 0 && (
        <section className="conflicts" aria-label="Changed since">
          <h3>Changed since</h3>
          <ul>
            {conflicts.map((conflict) => (
              <li key={JSON.stringify([conflict.tableId, conflict.colId, conflict.rowCount])}>
                <ConflictLine conflict={conflict} onFollow={onClose} />
              </li>
            ))}
          </ul>
        </section>
      )}
    </ConfirmDialog>
  )
}

function conflictsOf(error: unknown): readonly Conflict[] {
  const found = error instanceof ApiError ? error.details.conflicts : undefined
  return Array.isArray(found) ? (found as readonly Conflict[]) : []
}

interface ConflictLineProps {
  readonly conflict: Conflict
  readonly onFollow: () => void
}

/** A conflict with links to the history of its rows, table or column. */
function ConflictLine({ conflict, onFollow }: ConflictLineProps): ReactNode {
  const { docId } = useDocumentContext()
  const { tableId, rowIds = [], rowCount = 0 } = conflict
  if (rowCount === 0)
    return (
      <Link to={historyPath(docId, tableId)} onClick={onFollow}>
        {describeConflict(conflict)}
      </Link>
    )
  const more = rowCount - rowIds.length
  return (
    <>
      {tableId}:{' '}
      {rowIds.map((rowId, index) => (
        <span key={rowId}>
          {index > 0 && ', '}
          <Link to={historyPath(docId, tableId, rowId)} onClick={onFollow}>
            row {rowId}
          </Link>
        </span>
      ))}
      {more > 0 && ` and ${more.toLocaleString()} more`}
    </>
  )
}
