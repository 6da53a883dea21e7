import type { Change } from '@sheaf/client'
import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useMemo, useReducer } from 'react'
import type { Column, Row } from '../../api/resources'
import { docOf } from '../../api/sheaf'
import type { CellContext } from '../../cells/editing/cell-type'
import { isComputed } from '../../formats/column'
import { isPending } from '../../formats/value'
import type { ChangeListener } from '../../live/change-stream'
import { useLiveChanges } from '../../live/live-provider'
import { withErrors } from '../../writes/table/cells-api'
import type { TableWrites } from '../../writes/table/table-writes'

/** How often a row with cells that are being calculated is read again, in milliseconds. */
const PENDING_MS = 2_000

type RowSource = Pick<CellContext, 'docId' | 'tableId' | 'asOf'>

/** A row by its id; null if there is none. */
const rowQuery = ({ docId, tableId, asOf }: RowSource, rowId: number) =>
  queryOptions({
    queryKey: ['document', docId, 'row', tableId, rowId, { asOf }],
    queryFn: async ({ signal }): Promise<Row | null> => {
      const selection = { filter: { id: [rowId] }, limit: 1, asOf, signal }
      const [row] = (await docOf(docId).table(tableId).page(selection)).records
      return row ? withErrors(row) : null
    },
    enabled: rowId > 0,
    staleTime: 0,
    gcTime: 0,
  })

interface ShownRow {
  /** As it is stored; null if there is no such row, undefined while it is read. */
  readonly row: Row | null | undefined
  readonly error: unknown
  readonly retry: () => void
}

interface RowParts {
  readonly columns: readonly Column[]
  readonly writes: TableWrites
  /** Returns the row if the grid has it, to be shown until it is read. */
  readonly known: (rowId: number) => Row | undefined
}

/** Reads a row by its id, also one that the grid has not loaded, and again whenever it changes. */
export function useShownRow(source: RowSource, rowId: number, parts: RowParts): ShownRow {
  const { columns, writes, known } = parts
  const { tableId, asOf } = source
  const client = useQueryClient()
  const isWaiting = (row: Row | null | undefined) =>
    asOf === undefined &&
    columns.some((column) => isComputed(column) && isPending(row?.fields[column.id]))
  const { data, error, refetch } = useQuery({
    ...rowQuery(source, rowId),
    placeholderData: () => known(rowId),
    refetchInterval: ({ state }) => (isWaiting(state.data) ? PENDING_MS : false),
  })
  const { docId } = source
  const queryKey = useMemo(
    () => rowQuery({ docId, tableId, asOf }, rowId).queryKey,
    [docId, tableId, asOf, rowId],
  )
  useLiveChanges(
    useMemo<ChangeListener>(
      () => ({
        onChange(change) {
          if (affects(change, tableId, rowId)) void client.invalidateQueries({ queryKey })
        },
        // All data of the document is read again then.
        onGap: () => {},
      }),
      [client, queryKey, tableId, rowId],
    ),
  )
  const [, redraw] = useReducer((count: number) => count + 1, 0)
  useEffect(() => {
    if (asOf !== undefined) return
    return writes.attach({
      store({ rows }) {
        const row = rows.find(({ id }) => id === rowId)
        if (row) client.setQueryData(queryKey, row)
      },
      assume(rows) {
        if (rows.some(({ id }) => id === rowId)) void client.invalidateQueries({ queryKey })
      },
      redraw(ids) {
        if (ids.includes(rowId)) redraw()
      },
    })
  }, [asOf, writes, client, queryKey, rowId])
  const row = rowId > 0 ? data : null
  return { row, error: row === undefined ? error : null, retry: () => void refetch() }
}

/** True if a change may have changed a row, or the columns of its table. */
function affects({ operations, truncated }: Change, tableId: string, rowId: number): boolean {
  return (
    truncated === true ||
    operations.some(
      (operation) =>
        operation.tableId === tableId &&
        (!('rowIds' in operation) || operation.rowIds.includes(rowId)),
    )
  )
}
