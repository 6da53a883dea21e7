import { useInfiniteQuery, useQuery, type InfiniteData } from '@tanstack/react-query'
import { useState, type ReactNode } from 'react'
import { call } from '../api/client'
import { columnsQuery, tablePath, type Column } from '../api/resources'
import { showCell } from '../cells/show-cell'
import { Button } from '../components/button'
import { Empty, ErrorState, Loading } from '../components/states'

/** What the grid of a table needs to know. */
export interface DocumentGridProps {
  readonly docId: string
  readonly tableId: string
  /** True for who may change cells. */
  readonly canEdit: boolean
}

interface RecordPage {
  readonly records: readonly {
    readonly id: number
    readonly fields: Readonly<Record<string, unknown>>
  }[]
  readonly nextCursor: string | null
  readonly totalCount: number
}

const PAGE_ROWS = 200

/** The rows of a table, page by page, sorted by the server. */
export function DocumentGrid({ docId, tableId }: DocumentGridProps): ReactNode {
  const [sort, setSort] = useState('')
  const columns = useQuery(columnsQuery(docId, tableId))
  const rows = useInfiniteQuery<RecordPage, Error, InfiniteData<RecordPage>, unknown[], string>({
    queryKey: ['document', docId, 'records', tableId, sort],
    queryFn: ({ pageParam, signal }) =>
      call<RecordPage>('GET', `${tablePath(docId, tableId)}/records`, {
        query: { limit: PAGE_ROWS, cursor: pageParam, count: true, sort: sort || undefined },
        signal,
      }),
    initialPageParam: '',
    getNextPageParam: ({ nextCursor }) => nextCursor,
  })
  const error = columns.error ?? rows.error
  if (error) return <ErrorState error={error} onRetry={() => void rows.refetch()} />
  if (!columns.data || !rows.data) return <Loading what="the table" />
  const records = rows.data.pages.flatMap((page) => page.records)
  const total = rows.data.pages[0]?.totalCount ?? records.length
  return (
    <div className="grid">
      <div className="grid-scroll" tabIndex={0} role="region" aria-label={`Rows of ${tableId}`}>
        <table className="cells">
          <thead>
            <tr>
              <th scope="col" className="row-number">
                Row
              </th>
              {columns.data.map((column) => (
                <ColumnHead key={column.id} column={column} sort={sort} onSort={setSort} />
              ))}
            </tr>
          </thead>
          <tbody>
            {records.map(({ id, fields }) => (
              <tr key={id}>
                <th scope="row" className="row-number">
                  {id}
                </th>
                {columns.data.map((column) => (
                  <td key={column.id}>{showCell(fields[column.id], column)}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
        {total === 0 && <Empty title="This table has no rows yet" />}
      </div>
      <footer className="grid-foot">
        <span role="status">
          {records.length.toLocaleString()} of {total.toLocaleString()} rows
        </span>
        {rows.hasNextPage && (
          <Button isBusy={rows.isFetchingNextPage} onClick={() => void rows.fetchNextPage()}>
            Show more
          </Button>
        )}
      </footer>
    </div>
  )
}

interface ColumnHeadProps {
  readonly column: Column
  readonly sort: string
  readonly onSort: (sort: string) => void
}

function ColumnHead({ column, sort, onSort }: ColumnHeadProps): ReactNode {
  const { id, fields } = column
  const isUp = sort === id
  const isDown = sort === `-${id}`
  const next = isUp ? `-${id}` : isDown ? '' : id
  return (
    <th scope="col" aria-sort={isUp ? 'ascending' : isDown ? 'descending' : undefined}>
      <button
        type="button"
        className="column-head"
        title={fields.type}
        onClick={() => onSort(next)}
      >
        {fields.label || id}
        <span aria-hidden="true">{isUp ? ' ▲' : isDown ? ' ▼' : ''}</span>
      </button>
    </th>
  )
}
