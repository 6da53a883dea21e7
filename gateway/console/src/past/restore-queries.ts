import { queryOptions } from '@tanstack/react-query'
import { call, callWithHeaders } from '../api/client'
import { docPath } from '../api/resources'
import type { Change } from '../history/history-queries'

/** What is restored: a document, or one of its tables. */
export interface RestoreTarget {
  readonly docId: string
  /** The seq of the moment. */
  readonly seq: number
  /** Undefined for the whole document. */
  readonly tableRef: number | undefined
}

/** Numbers of differences by table. */
export interface TableDifferences {
  readonly tableId: string
  readonly tableRef: number
  readonly change: 'none' | 'added' | 'removed' | 'changed'
  readonly columns: Differences
  readonly rows: Differences
}

interface Differences {
  readonly added: number
  readonly removed: number
  readonly changed: number
}

/** What a restore would do. */
export interface RestorePreview {
  /** The state of the document to which the preview applies. */
  readonly etag: string | null
  /** The change that would be made; null if nothing differs from the moment. */
  readonly change: Pick<Change, 'seq' | 'operations' | 'truncated'> | null
  /** Formula columns that would be calculated afterwards, as `Table.Column`. */
  readonly pendingColumns: readonly string[]
  /** Of a change that is too large to be listed. */
  readonly differences?: readonly TableDifferences[]
}

type DryRun = Pick<RestorePreview, 'change' | 'pendingColumns'>

/** Tries a restore, without keeping anything. */
export const restorePreviewQuery = (target: RestoreTarget) =>
  queryOptions({
    // Not below the key of the document, so that it is not fetched again after the restore.
    queryKey: ['restore-preview', target],
    queryFn: async ({ signal }): Promise<RestorePreview> => {
      const { docId } = target
      const { headers } = await callWithHeaders('GET', `${docPath(docId)}/tables`, { signal })
      const etag = headers.get('ETag')
      const { change, pendingColumns } = await restore<DryRun>(target, etag, { dryRun: true })
      const preview = { etag, change, pendingColumns }
      if (!change?.truncated) return preview
      return { ...preview, differences: await fetchDifferences(target, change.seq - 1, signal) }
    },
    gcTime: 0,
    staleTime: Infinity,
    retry: false,
  })

async function fetchDifferences(
  { docId, seq, tableRef: tableId }: RestoreTarget,
  from: number,
  signal: AbortSignal,
): Promise<readonly TableDifferences[]> {
  const query = { from, to: seq, summary: true, tableId }
  const path = `${docPath(docId)}/compare`
  return (await call<{ tables: TableDifferences[] }>('GET', path, { query, signal })).tables
}

/** Restores a document or a table to a moment. Refused with 412 if the document has changed since the ETag. */
export function restore<T>(
  { docId, seq, tableRef }: RestoreTarget,
  etag: string | null,
  query: { readonly dryRun?: true } = {},
): Promise<T> {
  return call<T>('POST', `${docPath(docId)}/restore`, {
    query,
    body: { asOf: seq, ...(tableRef !== undefined && { tableId: String(tableRef) }) },
    headers: etag === null ? {} : { 'If-Match': etag },
  })
}
