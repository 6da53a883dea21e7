import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { columnName } from '../formats/column'
import { call } from '../api/client'
import { tablePath, type Column } from '../api/resources'
import { useApiMutation } from '../components/use-api-mutation'
import { ConfirmDialog } from '../components/dialog'
import { rowCountQuery, showRows } from './removal-queries'

interface RemoveColumnDialogProps {
  readonly docId: string
  readonly tableId: string
  readonly column: Column
  readonly onClose: () => void
}

/** Deletes a column with its values, when that is confirmed. */
export function RemoveColumnDialog(props: RemoveColumnDialogProps): ReactNode {
  const { docId, tableId, column, onClose } = props
  const { mutate } = useApiMutation(['document', docId])
  const { data: rows } = useQuery(rowCountQuery(docId, tableId))
  const path = `${tablePath(docId, tableId)}/columns/${encodeURIComponent(column.id)}`
  const name = columnName(column)
  return (
    <ConfirmDialog
      title={`Delete the column “${name}”?`}
      confirm="Delete column"
      onClose={onClose}
      onConfirm={() => mutate(() => call('DELETE', path), `The column “${name}” is deleted.`)}
    >
      <p>
        It is lost with its values in {showRows(rows)} of {tableId}, and what programs do with{' '}
        <code>{column.id}</code> fails. The history of the document can bring it back.
      </p>
    </ConfirmDialog>
  )
}
