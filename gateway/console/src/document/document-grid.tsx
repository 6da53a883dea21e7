import { useQuery } from '@tanstack/react-query'
import { useEffect, type ReactNode } from 'react'
import { useSearchParams } from 'react-router'
import { columnsQuery, viewsQuery } from '../api/resources'
import { lazyComponent } from '../components/lazy-component'
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

const loading = <Loading what="the table" />

/** The grid. Its library is as large as the rest of the console, so it is loaded with the first table. */
export const TableGrid = lazyComponent(
  async () => (await import('../grid/table-grid')).TableGrid,
  loading,
)
const TableBoard = lazyComponent(
  async () => (await import('../board/table-board')).TableBoard,
  loading,
)
// Forms are seldom edited.
const TableForm = lazyComponent(
  async () => (await import('../form-editor/table-form')).TableForm,
  loading,
)

/** A table as its chosen view has it, loaded on demand: a grid, a board, or the settings of a form. */
export function DocumentGrid({ rowActions, ...table }: DocumentGridProps): ReactNode {
  const { docId, tableId, asOf } = table
  const columns = useQuery(columnsQuery(docId, tableId, asOf))
  const [query] = useSearchParams()
  const viewId = query.get('view')
  const hasView = viewId !== null
  const views = useQuery({ ...viewsQuery(docId, tableId, asOf), enabled: hasView })
  // In parallel with the columns.
  useEffect(() => TableGrid.preload(), [])
  if (columns.error && !columns.data)
    return <ErrorState error={columns.error} onRetry={() => void columns.refetch()} />
  // Otherwise the columns would move once their view is known.
  if (!columns.data || (hasView && views.isPending)) return loading
  const view = views.data?.find(({ id }) => String(id) === viewId)
  if (view?.fields.type === 'board') return <TableBoard {...table} columns={columns.data} />
  if (view?.fields.type === 'form')
    return <TableForm key={view.id} {...table} columns={columns.data} view={view} />
  return <TableGrid {...table} rowActions={rowActions} columns={columns.data} />
}
