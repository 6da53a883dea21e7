import { queryOptions } from '@tanstack/react-query'
import { call } from '../api/client'
import { docPath, tablePath, type Column } from '../api/resources'

/** How many rows a table has. */
export const rowCountQuery = (docId: string, tableId: string) =>
  queryOptions({
    // Not a part of the document's: it is not asked for again when the table is gone.
    queryKey: ['row-count', docId, tableId],
    queryFn: async ({ signal }) =>
      (
        await call<{ totalCount: number }>('GET', `${tablePath(docId, tableId)}/records`, {
          query: { limit: 1, count: true },
          signal,
        })
      ).totalCount,
  })

/** A number of rows in words; one that is not known yet as well. */
export function showRows(count: number | undefined): string {
  if (count === undefined) return 'all rows'
  return count === 1 ? 'one row' : `${count.toLocaleString()} rows`
}

interface TableWithColumns {
  readonly id: string
  readonly columns: readonly Column[]
}

/** All tables of a document with their columns. */
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

/** The columns of other tables that refer to one, as `Table.column`. */
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
