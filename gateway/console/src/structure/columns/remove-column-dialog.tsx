import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { columnName } from '../../formats/column'
import type { Column } from '../../api/resources'
import { makeChange } from '../../undo/make-change'
import { useAnnounceChange } from '../../undo/undo-provider'
import { useApiMutation } from '../../components/use-api-mutation'
import { ConfirmDialog } from '../../components/overlays/dialog'
import { rowCountQuery, formatRowCount } from './removal-queries'

interface RemoveColumnDialogProps {
  readonly docId: string
  readonly tableId: string
  readonly column: Column
  readonly onClose: () => void
}

/** Deletes a column with its values after confirmation. */
export function RemoveColumnDialog(props: RemoveColumnDialogProps): ReactNode {
  const { docId, tableId, column, onClose } = props
  const { mutate } = useApiMutation(['document', docId])
  const { data: rows } = useQuery(rowCountQuery(docId, tableId))
  const announce = useAnnounceChange()
  const name = columnName(column)
  const remove = () => {
    const columns = [{ id: column.id }]
    const removed = makeChange(docId, { op: 'removeColumns', table: tableId, columns })
    announce(
      `Column “${name}” deleted`,
      removed.then(({ seq }) => seq),
    )
    return mutate(() => removed)
  }
  return (
    <ConfirmDialog
      title={`Delete column “${name}”?`}
      confirm="Delete column"
      onClose={onClose}
      onConfirm={remove}
    >
      <p>
        This deletes its values in {formatRowCount(rows)} of {tableId}. API requests that use{' '}
        <code>{column.id}</code> will fail.
      </p>
    </ConfirmDialog>
  )
}
