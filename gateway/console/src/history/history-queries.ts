import { infiniteQueryOptions } from '@tanstack/react-query'
import { call } from '../api/client'
import { docPath } from '../api/resources'

/** What was done to rows of a table: lists of values by column, one for each of `rowIds`. */
export interface RowOperation {
  readonly action: 'addRows' | 'updateRows' | 'removeRows'
  /** Id of the table when it was changed. */
  readonly tableId: string
  readonly tableRef: number
  readonly rowIds: readonly number[]
  readonly columns: Readonly<Record<string, ColumnValues>>
}

/** Values of a column before and after. */
interface ColumnValues {
  /** 0 for the positions of rows. */
  readonly colRef: number
  readonly old?: readonly unknown[]
  readonly new?: readonly unknown[]
}

type Metadata = Readonly<Record<string, unknown>>

/** What was done to a table or a column itself. */
export interface SchemaOperation {
  readonly action:
    'addTable' | 'updateTable' | 'removeTable' | 'addColumn' | 'updateColumn' | 'removeColumn'
  readonly tableId: string
  readonly tableRef: number
  readonly colId?: string
  readonly colRef?: number
  readonly old?: Metadata
  readonly new?: Metadata
  /** What a removed column held. */
  readonly cells?: { readonly rowIds: readonly number[]; readonly old: readonly unknown[] }
}

/** One step of a change. */
export type Operation = RowOperation | SchemaOperation

/** One change of a document. */
export interface Change {
  readonly seq: number
  readonly time: string
  /** Null for Sheaf itself; without a name when the account is gone. */
  readonly user: {
    readonly id: number
    readonly name: string | null
    readonly email: string | null
  } | null
  readonly cause: 'api' | 'import' | 'formula' | 'undo' | 'unknown'
  /** True when it is too large to be told. */
  readonly truncated?: true
  readonly operations: readonly Operation[]
}

/** What stood in the way of an undo. */
export interface Conflict {
  readonly tableId: string
  readonly colId?: string
  readonly rowIds?: readonly number[]
  readonly rowCount?: number
}

/** Which changes are looked for, as it stands in the address. */
export interface HistoryFilter {
  /** Ref or id of a table; empty for all. */
  readonly table: string
  /** Id of a row of it; empty for all. */
  readonly row: string
  /** Only changes with a smaller number; empty for the newest. */
  readonly before: string
}

interface HistoryPage {
  readonly changes: readonly Change[]
  readonly next: number | null
}

const PAGE_CHANGES = 25

/** Begins the key of all that is known of the history of a document. */
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
    // New changes are told beside the list from when it is shown: it is as late as that, and stays so until they are asked for.
    staleTime: 0,
    refetchOnWindowFocus: false,
  })

/** Undoes a change. */
export const revertChange = (docId: string, seq: number): Promise<unknown> =>
  call('POST', `${docPath(docId)}/changes/${seq}/revert`)

/** True for what was done to rows. */
export const isOfRows = (operation: Operation): operation is RowOperation => 'rowIds' in operation

/** The page of the history of a table, or of one of its rows. */
export function historyAddress(docId: string, table: string | number, row?: number): string {
  const query = new URLSearchParams({ table: String(table) })
  if (row !== undefined) query.set('row', String(row))
  return `/docs/${docId}/history?${query.toString()}`
}
