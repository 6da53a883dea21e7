import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense, useEffect, type ReactNode } from 'react'
import { columnsQuery } from '../api/resources'
import { ErrorState, Loading } from '../components/states'

/** What the grid of a table needs to know. */
export interface DocumentGridProps {
  readonly docId: string
  readonly tableId: string
  /** True for who may change cells. */
  readonly canEdit: boolean
}

// The library of the grid is as large as the rest of the console: only who looks at a table fetches it.
const loadGrid = async () => ({ default: (await import('../grid/table-grid')).TableGrid })
const TableGrid = lazy(loadGrid)

/** The grid of a table. */
export function DocumentGrid({ docId, tableId, canEdit }: DocumentGridProps): ReactNode {
  const columns = useQuery(columnsQuery(docId, tableId))
  // At the same time as the columns.
  useEffect(() => void loadGrid(), [])
  if (columns.error && !columns.data)
    return <ErrorState error={columns.error} onRetry={() => void columns.refetch()} />
  const waiting = <Loading what="the table" />
  if (!columns.data) return waiting
  return (
    <Suspense fallback={waiting}>
      <TableGrid docId={docId} tableId={tableId} columns={columns.data} canEdit={canEdit} />
    </Suspense>
  )
}
