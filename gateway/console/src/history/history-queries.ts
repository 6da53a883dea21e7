import type { HistoryChange, RowOperation, SchemaOperation } from '@sheaf/client'
import { infiniteQueryOptions } from '@tanstack/react-query'
import { docPath } from '../api/paths'
import { sheaf } from '../api/sheaf'

/** An operation of a change. */
export type Operation = RowOperation | SchemaOperation

/** A change of a document, as the history shows it. */
export type Change = Omit<HistoryChange, 'userId' | 'keyId'>

/** A later change that conflicts with an undo. */
export interface Conflict {
  readonly tableId: string
  readonly colId?: string
  readonly rowIds?: readonly number[]
  readonly rowCount?: number
}

/** Filter of the history, as in the query string of the page. */
export interface HistoryFilter {
  /** Ref or id of a table; empty for all. */
  readonly table: string
  /** Id of a row of it; empty for all. */
  readonly row: string
  /** Only changes before this sequence number; empty for the newest. */
  readonly before: string
}

interface HistoryPage {
  readonly changes: readonly Change[]
  readonly next: number | null
}

const PAGE_CHANGES = 25

/** Key prefix of all queries about the history of a document. */
export const historyKey = (docId: string) => ['document', docId, 'history']

/** Changes of a document, newest first, page by page. */
export const historyQuery = (docId: string, filter: HistoryFilter) =>
  infiniteQueryOptions({
    queryKey: [...historyKey(docId), filter],
    queryFn: ({ pageParam, signal }) => {
      const { table, row } = filter
      const query = {
        limit: PAGE_CHANGES,
        tableId: table || undefined,
        rowId: row || undefined,
        before: pageParam || undefined,
      }
      const path = `${docPath(docId)}/history`
      return sheaf().request<HistoryPage>({ method: 'GET', path, query }, { signal })
    },
    initialPageParam: filter.before,
    getNextPageParam: ({ next }) => (next === null ? undefined : String(next)),
    // The list is refetched only on request: later changes are announced by a button above it.
    staleTime: 0,
    refetchOnWindowFocus: false,
  })

/** Returns true for operations on rows. */
export const isOfRows = (operation: Operation): operation is RowOperation => 'rowIds' in operation
