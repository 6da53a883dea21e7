import { queryOptions, type QueryClient } from '@tanstack/react-query'
import { BLOCK_ROWS } from './row-blocks'
import { RowsApi, type ReadPage, type RowsPage } from './rows-api'

/** Time within which the grid, once it is loaded, takes them over. */
const KEPT_MS = 10_000
const request = { cursor: '', offset: 0, limit: BLOCK_ROWS, isCounted: true }

/** The first rows of a table, without a view: what its page shows when it is opened. */
export const firstRowsQuery = (docId: string, tableId: string) =>
  queryOptions({
    queryKey: ['document', docId, 'first-rows', tableId],
    queryFn: ({ signal }): Promise<RowsPage> => {
      const search = { text: '', fields: '', tables: '' }
      const source = { docId, tableId, sort: '', filter: '', search, asOf: undefined }
      return new RowsApi(source).readPage(request, signal)
    },
    staleTime: Infinity,
    gcTime: KEPT_MS,
  })

/** The first rows of a table that may have been requested before its grid was there. */
interface FirstRows {
  readonly client: QueryClient
  readonly docId: string
  readonly tableId: string
  /** Returns the position in the log of the last change that was received; 0 if none is known. */
  readonly position: () => number
}

/** Reads the first page, once, by that earlier request, unless changes were received since; others by `read`. */
export function readFirst(
  { client, docId, tableId, position }: FirstRows,
  read: ReadPage,
): ReadPage {
  const query = firstRowsQuery(docId, tableId)
  return async (wanted, signal) => {
    // The rows of the table are counted once.
    const isFirst = wanted.isCounted && wanted.limit === BLOCK_ROWS && wanted.offset === 0
    if (!isFirst || !client.getQueryState(query.queryKey)) return read(wanted, signal)
    const page = await client.fetchQuery(query).catch(() => undefined)
    client.removeQueries({ queryKey: query.queryKey, exact: true })
    const after = position()
    // Changes before an unknown position are not received.
    return page && after > 0 && page.seq >= after ? page : read(wanted, signal)
  }
}
