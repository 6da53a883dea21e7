import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { columnName } from '../formats/column'
import type { Column } from '../api/resources'
import { docOf } from '../api/sheaf'
import { useApiMutation } from '../components/use-api-mutation'
import { ConfirmDialog } from '../components/dialog'
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
  const { columns } = docOf(docId).table(tableId)
  const name = columnName(column)
  return (
    <ConfirmDialog
      title={`Delete column “${name}”?`}
      confirm="Delete column"
      onClose={onClose}
      onConfirm={() => mutate(() => columns.delete(column.id), `Column “${name}” deleted.`)}
    >
      <p>
        This deletes its values in {formatRowCount(rows)} of {tableId}. API requests that use{' '}
        <code>{column.id}</code> will fail. You can undo this in the history of the document.
      </p>
    </ConfirmDialog>
  )
}
