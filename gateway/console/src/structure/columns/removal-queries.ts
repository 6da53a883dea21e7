import { queryOptions } from '@tanstack/react-query'
import type { Column } from '../../api/resources'
import { docOf } from '../../api/sheaf'

/** Number of rows of a table. */
export const rowCountQuery = (docId: string, tableId: string) =>
  queryOptions({
    // Not below the key of the document, so that it is not refetched after the table is deleted.
    queryKey: ['row-count', docId, tableId],
    queryFn: async ({ signal }) => {
      const page = await docOf(docId).table(tableId).page({ limit: 1, count: true, signal })
      return page.totalCount
    },
  })

/** Formats a number of rows; undefined while it is loading. */
export function formatRowCount(count: number | undefined): string {
  if (count === undefined) return 'all rows'
  return count === 1 ? '1 row' : `${count.toLocaleString()} rows`
}

interface TableWithColumns {
  readonly id: string
  readonly columns?: readonly Column[]
}

/** The tables of a document with their columns. */
export const tablesWithColumnsQuery = (docId: string) =>
  queryOptions({
    queryKey: ['document', docId, 'tables-with-columns'],
    queryFn: ({ signal }) => docOf(docId).tables({ columns: true, signal }),
  })

/** Returns the columns of other tables that refer to a table, as `Table.column`. */
export function findReferrers(tables: readonly TableWithColumns[], tableId: string): string[] {
  const types = [`Ref:${tableId}`, `RefList:${tableId}`]
  return tables
    .filter(({ id }) => id !== tableId)
    .flatMap(({ id, columns = [] }) =>
      columns
        .filter(({ fields }) => types.includes(fields.type))
        .map(({ id: column }) => `${id}.${column}`),
    )
}
