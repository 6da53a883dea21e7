import type { QueryClient } from '@tanstack/react-query'
import { columnsQuery, positionQuery, tablesQuery } from '../api/resources'
import { preloadGrid } from './document-grid'

const PATH = /^\/console\/docs\/([\w-]+)(?:\/tables\/(\w+))?$/

/**
 * Begins to load what the page of a table needs, at once: its components would ask for one part after the other. Does nothing
 * for other pages.
 */
export function preloadPage(queries: QueryClient, { pathname, search }: Location): void {
  const [, docId, tableId] = PATH.exec(pathname) ?? []
  if (docId === undefined) return
  preloadGrid()
  if (!new URLSearchParams(search).has('asOf')) void preloadData(queries, docId, tableId)
}

async function preloadData(queries: QueryClient, docId: string, tableId?: string): Promise<void> {
  // Changes are followed from a position that is not behind what is read: otherwise some could be missed.
  await queries.prefetchQuery(positionQuery(docId))
  void queries.prefetchQuery(tablesQuery(docId))
  if (tableId !== undefined) void queries.prefetchQuery(columnsQuery(docId, tableId))
}
