import { useQuery, useQueryClient } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useHref, useNavigate } from 'react-router'
import { type Table, tablesQuery } from '../api/resources'
import { docOf } from '../api/sheaf'
import { useApiMutation } from '../components/use-api-mutation'
import { ConfirmDialog } from '../components/overlays/dialog'
import { tableUrl } from '../document-context/document-context'
import {
  findReferrers,
  rowCountQuery,
  formatRowCount,
  tablesWithColumnsQuery,
} from './columns/removal-queries'

interface RemoveTableDialogProps {
  readonly docId: string
  readonly table: Table
  /** Called with the table while it is being deleted, then with undefined. */
  readonly onBusy: (tableId: string | undefined) => void
  readonly onClose: () => void
}

/** Deletes a table with its rows after confirmation. */
export function RemoveTableDialog(props: RemoveTableDialogProps): ReactNode {
  const { docId, table, onBusy, onClose } = props
  const { id } = table
  const client = useQueryClient()
  const navigate = useNavigate()
  const href = useHref(tableUrl(docId, id))
  const { mutate } = useApiMutation(['document', docId])
  const { data: rows } = useQuery(rowCountQuery(docId, id))
  const { data: tables = [] } = useQuery(tablesWithColumnsQuery(docId))
  const columns = tables.find((other) => other.id === id)?.columns ?? []
  const referrers = findReferrers(tables, id)
  const remove = async () => {
    onBusy(id)
    await docOf(docId).removeTables([id])
    await client.fetchQuery({ ...tablesQuery(docId), staleTime: 0 })
    // The table may be shown although the dialog was closed, and another page although it was shown.
    if (window.location.pathname === href) await navigate(`/docs/${docId}`, { replace: true })
  }
  return (
    <ConfirmDialog
      title={`Delete table “${id}”?`}
      confirm="Delete table"
      onClose={onClose}
      onConfirm={() => mutate(remove, `Table “${id}” deleted.`).finally(() => onBusy(undefined))}
    >
      <p>
        This deletes {formatRowCount(rows)}
        {columns.length > 0 &&
          ` and the columns ${formatNames(columns.map((column) => column.id))}`}
        .
        {referrers.length > 0 &&
          ` References in ${formatNames(referrers)} are converted to row ids.`}{' '}
        You can undo this in the history of the document.
      </p>
    </ConfirmDialog>
  )
}

const MAX_NAMED = 8

function formatNames(names: readonly string[]): string {
  const more = names.length - MAX_NAMED
  const shown = names.slice(0, MAX_NAMED).join(', ')
  return more > 0 ? `${shown} and ${more} more` : shown
}
