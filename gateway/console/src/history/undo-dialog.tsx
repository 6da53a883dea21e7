import { SheafError } from '@sheaf/client'
import type { QueryKey } from '@tanstack/react-query'
import { useState, type ReactNode } from 'react'
import { Link } from 'react-router'
import { useApiMutation } from '../components/use-api-mutation'
import { ConfirmDialog } from '../components/overlays/dialog'
import { historyUrl } from '../document-context/document-context'
import { useUndoAt } from '../undo/undo-provider'
import { describeConflict } from './describe-change'
import type { Conflict } from './history-queries'

interface UndoDialogProps {
  readonly docId: string
  readonly seq: number
  /** Queries that an undo affects, apart from those of the document. */
  readonly affected?: readonly QueryKey[]
  readonly onClose: () => void
  /** What the change did. */
  readonly children: ReactNode
}

/** Confirms the undo of a change, and lists conflicting changes. */
export function UndoDialog(props: UndoDialogProps): ReactNode {
  const { docId, seq, affected = [], onClose, children } = props
  const [conflicts, setConflicts] = useState<readonly Conflict[]>([])
  // An undo can affect rows, columns and tables.
  const { mutate } = useApiMutation(['document', docId], ...affected)
  const undoAt = useUndoAt(docId)
  const undo = async () => {
    setConflicts([])
    try {
      await mutate(() => undoAt(seq), `Change ${seq} undone.`)
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
      <p>{children}</p>
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
                <ConflictLine docId={docId} conflict={conflict} onFollow={onClose} />
              </li>
            ))}
          </ul>
        </section>
      )}
    </ConfirmDialog>
  )
}

function conflictsOf(error: unknown): readonly Conflict[] {
  const found = error instanceof SheafError ? error.details.conflicts : undefined
  return Array.isArray(found) ? (found as readonly Conflict[]) : []
}

interface ConflictLineProps {
  readonly docId: string
  readonly conflict: Conflict
  readonly onFollow: () => void
}

/** A conflict with links to the history of its rows, table or column. */
function ConflictLine({ docId, conflict, onFollow }: ConflictLineProps): ReactNode {
  const { tableId, rowIds = [], rowCount = 0 } = conflict
  if (rowCount === 0)
    return (
      <Link to={historyUrl(docId, tableId)} onClick={onFollow}>
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
          <Link to={historyUrl(docId, tableId, rowId)} onClick={onFollow}>
            row {rowId}
          </Link>
        </span>
      ))}
      {more > 0 && ` and ${more.toLocaleString()} more`}
    </>
  )
}
