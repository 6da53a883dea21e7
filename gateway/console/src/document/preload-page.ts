import type { QueryClient } from '@tanstack/react-query'
import { columnsQuery, documentQuery, positionQuery, tablesQuery } from '../api/resources'
import { firstRowsQuery } from '../grid/rows/row-queries'
import { sessionQuery } from '../session/session-provider'
import { TableGrid } from './document-grid'

const PATH = /^\/console\/docs\/([\w-]+)(?:\/tables\/(\w+))?$/

/**
 * Begins to load what the page of a table needs, at once: its components would ask for one part after the other. Does nothing
 * for other pages.
 */
export function preloadPage(queries: QueryClient, { pathname, search }: Location): void {
  const [, docId, tableId] = PATH.exec(pathname) ?? []
  if (docId === undefined) return
  TableGrid.preload()
  if (new URLSearchParams(search).has('asOf')) return
  void preloadData(queries, { docId, tableId, hasView: search !== '' })
}

interface PreloadedPage {
  readonly docId: string
  readonly tableId: string | undefined
  /** True if the address says which rows are shown, and how. */
  readonly hasView: boolean
}

async function preloadData(
  queries: QueryClient,
  { docId, tableId, hasView }: PreloadedPage,
): Promise<void> {
  const session = queries.prefetchQuery(sessionQuery)
  // Changes are followed from a position that is not after what is read: otherwise some could be missed.
  await queries.prefetchQuery(positionQuery(docId))
  void queries.prefetchQuery(documentQuery(docId))
  void queries.prefetchQuery(tablesQuery(docId))
  if (tableId === undefined) return
  void queries.prefetchQuery(columnsQuery(docId, tableId))
  // They are requested by POST, with the token of the session.
  await session
  if (!hasView && queries.getQueryData(sessionQuery.queryKey)?.user)
    void queries.prefetchQuery(firstRowsQuery(docId, tableId))
}
