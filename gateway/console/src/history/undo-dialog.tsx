import { useState, type ReactNode } from 'react'
import { Link } from 'react-router'
import { ApiError } from '../api/client'
import { useApiMutation } from '../components/use-api-mutation'
import { ConfirmDialog } from '../components/dialog'
import { useDocumentContext } from '../document-context/document-context'
import { useCurrentUser } from '../session/session-provider'
import { authorOf, describeChange, describeConflict } from './describe-change'
import { historyAddress, revertChange, type Change, type Conflict } from './history-queries'

interface UndoDialogProps {
  readonly change: Change
  readonly onClose: () => void
}

/** Asks whether to undo a change, and tells what stands in the way. */
export function UndoDialog({ change, onClose }: UndoDialogProps): ReactNode {
  const { docId } = useDocumentContext()
  const { id } = useCurrentUser()
  const [conflicts, setConflicts] = useState<readonly Conflict[]>([])
  // Rows, columns and tables may be other ones afterwards.
  const { mutate } = useApiMutation(['document', docId])
  const { seq } = change
  const undo = async () => {
    setConflicts([])
    try {
      await mutate(() => revertChange(docId, seq), `Change ${seq} is undone.`)
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
        It is undone as a new change, which can be undone too; wholly, or not at all where something
        has been changed since.
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

/** Names rows, each with the way to its history, or a table or column. */
function ConflictLine({ conflict, onFollow }: ConflictLineProps): ReactNode {
  const { docId } = useDocumentContext()
  const { tableId, rowIds = [], rowCount = 0 } = conflict
  if (rowCount === 0)
    return (
      <Link to={historyAddress(docId, tableId)} onClick={onFollow}>
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
          <Link to={historyAddress(docId, tableId, rowId)} onClick={onFollow}>
            row {rowId}
          </Link>
        </span>
      ))}
      {more > 0 && ` and ${more.toLocaleString()} more`}
    </>
  )
}
