import { queryOptions } from '@tanstack/react-query'
import { call, callWithHeaders } from '../api/client'
import { docPath, type Table } from '../api/resources'
import type { Change } from '../history/history-queries'
import { planRestore, type RestorePlan, type RestoreTarget } from './restore-plan'

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
  readonly plan: RestorePlan
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
      const path = `${docPath(target.docId)}/tables`
      const { body, headers } = await callWithHeaders<{ tables: Table[] }>('GET', path, { signal })
      const etag = headers.get('ETag')
      const plan = await planRestore(target, body.tables, signal)
      const { change, pendingColumns } = await restore<DryRun>(plan, etag, { dryRun: true })
      const preview = { etag, plan, change, pendingColumns }
      // The numbers of the table would count other rows as well.
      if (!change?.truncated || target.scope.kind === 'rows') return preview
      return { ...preview, differences: await fetchDifferences(target, change.seq - 1, signal) }
    },
    gcTime: 0,
    staleTime: Infinity,
    retry: false,
  })

async function fetchDifferences(
  { docId, seq, scope }: RestoreTarget,
  from: number,
  signal: AbortSignal,
): Promise<readonly TableDifferences[]> {
  const tableId = scope.kind === 'document' ? undefined : scope.table.fields.tableRef
  const query = { from, to: seq, summary: true, tableId }
  const path = `${docPath(docId)}/compare`
  return (await call<{ tables: TableDifferences[] }>('GET', path, { query, signal })).tables
}

/** Restores what was planned. Refused with 412 if the document has changed since the ETag. */
export function restore<T>(
  { path, query, body }: RestorePlan,
  etag: string | null,
  options: { readonly dryRun?: true } = {},
): Promise<T> {
  return call<T>('POST', path, {
    query: { ...query, ...options },
    body,
    headers: etag === null ? {} : { 'If-Match': etag },
  })
}
