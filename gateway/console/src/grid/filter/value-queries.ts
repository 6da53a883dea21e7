import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { docOf } from '../../api/sheaf'
import type { CellContext } from '../../cells/editing/cell-type'
import type { Filter } from '../view/grid-view'

/** Values listed at most. */
export const MAX_VALUES = 200
const CACHE_MS = 30_000

/** The values of a column in the rows that pass a filter, with their counts, the most frequent ones first. */
export const valuesQuery = ({ docId, tableId, asOf }: CellContext, colId: string, filter: Filter) =>
  queryOptions({
    queryKey: ['document', docId, 'values', tableId, colId, filter, { asOf }],
    queryFn: ({ signal }) =>
      docOf(docId)
        .table(tableId)
        .values(colId, {
          filter: Object.keys(filter).length === 0 ? undefined : (filter as object),
          limit: MAX_VALUES,
          asOf,
          signal,
        }),
    gcTime: CACHE_MS,
    placeholderData: keepPreviousData,
  })
