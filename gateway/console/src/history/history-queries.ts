import { infiniteQueryOptions } from '@tanstack/react-query'
import { call } from '../api/client'
import { docPath } from '../api/resources'

/** An operation on rows of a table: lists of values by column, one for each of `rowIds`. */
export interface RowOperation {
  readonly action: 'addRows' | 'updateRows' | 'removeRows'
  /** Id of the table at the time of the change. */
  readonly tableId: string
  readonly tableRef: number
  readonly rowIds: readonly number[]
  readonly columns: Readonly<Record<string, ColumnValues>>
}

/** Values of a column before and after a change. */
interface ColumnValues {
  /** 0 for the internal column of row positions. */
  readonly colRef: number
  readonly old?: readonly unknown[]
  readonly new?: readonly unknown[]
}

type Metadata = Readonly<Record<string, unknown>>

/** An operation on a table or a column. */
export interface SchemaOperation {
  readonly action:
    'addTable' | 'updateTable' | 'removeTable' | 'addColumn' | 'updateColumn' | 'removeColumn'
  readonly tableId: string
  readonly tableRef: number
  readonly colId?: string
  readonly colRef?: number
  readonly old?: Metadata
  readonly new?: Metadata
  /** Values of a removed column. */
  readonly cells?: { readonly rowIds: readonly number[]; readonly old: readonly unknown[] }
}

/** An operation of a change. */
export type Operation = RowOperation | SchemaOperation

/** A change of a document. */
export interface Change {
  readonly seq: number
  readonly time: string
  /** Null for changes made by Sheaf itself. The name is null if the account was deleted. */
  readonly user: {
    readonly id: number
    readonly name: string | null
    readonly email: string | null
  } | null
  readonly cause: 'api' | 'import' | 'formula' | 'undo' | 'unknown'
  /** True if the change is too large to be listed completely. */
  readonly truncated?: true
  readonly operations: readonly Operation[]
}

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
      return call<HistoryPage>('GET', `${docPath(docId)}/history`, { query, signal })
    },
    initialPageParam: filter.before,
    getNextPageParam: ({ next }) => (next === null ? undefined : String(next)),
    // The list is refetched only on request: later changes are announced by a button above it.
    staleTime: 0,
    refetchOnWindowFocus: false,
  })

/** Undoes a change. */
export const revertChange = (docId: string, seq: number): Promise<unknown> =>
  call('POST', `${docPath(docId)}/changes/${seq}/revert`)

/** Returns true for operations on rows. */
export const isOfRows = (operation: Operation): operation is RowOperation => 'rowIds' in operation

/** Returns the path of the history of a table, or of one of its rows. */
export function historyPath(docId: string, table: string | number, row?: number): string {
  const query = new URLSearchParams({ table: String(table) })
  if (row !== undefined) query.set('row', String(row))
  return `/docs/${docId}/history?${query.toString()}`
}
