import { queryOptions } from '@tanstack/react-query'
import { call } from '../api/client'
import { docPath, tablePath, type Column } from '../api/resources'

/** Number of rows of a table. */
export const rowCountQuery = (docId: string, tableId: string) =>
  queryOptions({
    // Not below the key of the document, so that it is not refetched after the table is deleted.
    queryKey: ['row-count', docId, tableId],
    queryFn: async ({ signal }) =>
      (
        await call<{ totalCount: number }>('GET', `${tablePath(docId, tableId)}/records`, {
          query: { limit: 1, count: true },
          signal,
        })
      ).totalCount,
  })

/** Formats a number of rows; undefined while it is loading. */
export function formatRowCount(count: number | undefined): string {
  if (count === undefined) return 'all rows'
  return count === 1 ? '1 row' : `${count.toLocaleString()} rows`
}

interface TableWithColumns {
  readonly id: string
  readonly columns: readonly Column[]
}

/** The tables of a document with their columns. */
export const tablesWithColumnsQuery = (docId: string) =>
  queryOptions({
    queryKey: ['document', docId, 'tables-with-columns'],
    queryFn: async ({ signal }) =>
      (
        await call<{ tables: TableWithColumns[] }>('GET', `${docPath(docId)}/tables`, {
          query: { expand: 'column' },
          signal,
        })
      ).tables,
  })

/** Returns the columns of other tables that refer to a table, as `Table.column`. */
export function findReferrers(tables: readonly TableWithColumns[], tableId: string): string[] {
  const types = [`Ref:${tableId}`, `RefList:${tableId}`]
  return tables
    .filter(({ id }) => id !== tableId)
    .flatMap(({ id, columns }) =>
      columns
        .filter(({ fields }) => types.includes(fields.type))
        .map(({ id: column }) => `${id}.${column}`),
    )
}
