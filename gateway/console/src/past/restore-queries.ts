import { queryOptions } from '@tanstack/react-query'
import { docPath } from '../api/paths'
import { docOf, sheaf } from '../api/sheaf'
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
  readonly etag: string
  readonly plan: RestorePlan
  /** The change that would be made; null if nothing differs from the moment. */
  readonly change: Pick<Change, 'seq' | 'operations' | 'truncated'> | null
  /** Formula columns that would be calculated afterwards, as `Table.Column`. */
  readonly pendingColumns: readonly string[]
  /** Of a change that is too large to be listed. */
  readonly differences?: readonly TableDifferences[]
}

/** Tries a restore, without keeping anything. */
export const restorePreviewQuery = (target: RestoreTarget) =>
  queryOptions({
    // Not below the key of the document, so that it is not fetched again after the restore.
    queryKey: ['restore-preview', target],
    queryFn: async ({ signal }): Promise<RestorePreview> => {
      const doc = docOf(target.docId)
      // Before the tables, so that the write is refused if they have changed since.
      const { etag } = await doc.position({ signal })
      const plan = await planRestore(target, await doc.tables({ signal }), signal)
      const { change, pendingColumns } = await doc.dryRun((trial) => plan.write(trial, etag))
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
  const call = { method: 'GET', path, query } as const
  return (await sheaf().request<{ tables: TableDifferences[] }>(call, { signal })).tables
}
