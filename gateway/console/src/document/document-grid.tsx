import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense, useEffect, type ReactNode } from 'react'
import { useSearchParams } from 'react-router'
import { columnsQuery, viewsQuery } from '../api/resources'
import { ErrorState, Loading } from '../components/states'

/** Properties of the grid of a table. */
export interface DocumentGridProps {
  readonly docId: string
  readonly tableId: string
  /** True if the user can edit cells. */
  readonly canEdit: boolean
  /** The seq of the change as of which the table is shown; undefined for the present. */
  readonly asOf?: string
  /** Returns buttons for the rows with the given ids, which are selected. Without it, only editors of cells select rows. */
  readonly rowActions?: (rowIds: readonly number[]) => ReactNode
}

// The grid library is as large as the rest of the console, so it is loaded with the first table.
const loadGrid = async () => ({ default: (await import('../grid/table-grid')).TableGrid })
const TableGrid = lazy(loadGrid)

/** Begins to load the grid. */
export function preloadGrid(): void {
  void loadGrid()
}

// Forms are seldom edited.
const TableForm = lazy(async () => ({
  default: (await import('../form-editor/table-form')).TableForm,
}))

const TableBoard = lazy(async () => ({
  default: (await import('../board/table-board')).TableBoard,
}))

/** A table as its chosen view has it, loaded on demand: a grid, a board, or the settings of a form. */
export function DocumentGrid({ rowActions, ...table }: DocumentGridProps): ReactNode {
  const { docId, tableId, asOf } = table
  const columns = useQuery(columnsQuery(docId, tableId, asOf))
  const [query] = useSearchParams()
  const viewId = query.get('view')
  const hasView = viewId !== null
  const views = useQuery({ ...viewsQuery(docId, tableId, asOf), enabled: hasView })
  // In parallel with the columns.
  useEffect(preloadGrid, [])
  if (columns.error && !columns.data)
    return <ErrorState error={columns.error} onRetry={() => void columns.refetch()} />
  const loading = <Loading what="the table" />
  // Otherwise the columns would move once their view is known.
  if (!columns.data || (hasView && views.isPending)) return loading
  const view = views.data?.find(({ id }) => String(id) === viewId)
  if (view?.fields.type === 'board')
    return (
      <Suspense fallback={loading}>
        <TableBoard {...table} columns={columns.data} />
      </Suspense>
    )
  return (
    <Suspense fallback={loading}>
      {view?.fields.type === 'form' ? (
        <TableForm key={view.id} {...table} columns={columns.data} view={view} />
      ) : (
        <TableGrid {...table} rowActions={rowActions} columns={columns.data} />
      )}
    </Suspense>
  )
}
