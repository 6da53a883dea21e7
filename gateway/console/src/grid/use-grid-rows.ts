import type { GridApi, IDatasource } from 'ag-grid-community'
import { useCallback, useEffect, useMemo, useRef, useState, type RefObject } from 'react'
import { isSameValue } from '../formats/value'
import { useLiveChanges } from '../live/live-provider'
import type { Change, ChangeListener, RowOperation } from '../live/change-stream'
import { viewTexts, type GridView } from './view/grid-view'
import type { Row } from '../api/row'
import { blockOf } from './rows/row-blocks'
import { RowStore, type RowListener } from './rows/row-store'
import { RowWrites, WriteQueue } from './rows/row-writes'
import { RowsApi } from './rows/rows-api'

/** Rows that are told one by one; more are read by the grid as blocks. */
const MOST_ONE_BY_ONE = 100

/** The rows of a grid: how they are read, written and shown. */
export interface GridRows {
  readonly api: RowsApi
  readonly store: RowStore
  readonly writes: RowWrites
  readonly datasource: IDatasource
}

/** A place for the grid itself, which is there once it is shown. */
export type GridRef = RefObject<GridApi<Row> | null>

/** The rows of a table in one view, brought up to date as they change. */
export function useGridRows(
  { docId, tableId }: { readonly docId: string; readonly tableId: string },
  view: GridView,
  grid: GridRef,
): GridRows {
  const { sort, filter } = viewTexts(view)
  const [queue] = useState(() => new WriteQueue())
  const rows = useMemo(
    () => createRows(new RowsApi(docId, tableId, sort, filter), queue, sort + filter === ''),
    [docId, tableId, sort, filter, queue],
  )
  const { store, writes } = rows
  const listener = useRowListener(grid)
  useEffect(() => store.open(listener), [store, listener])
  const live = useMemo<ChangeListener>(
    () => ({
      onChange: (change) => takeChange(change, { tableId, sort, filter, store, writes }),
      onGap: () => store.renewSoon(false),
    }),
    [tableId, sort, filter, store, writes],
  )
  useLiveChanges(live)
  return rows
}

function createRows(api: RowsApi, queue: WriteQueue, isPlain: boolean): GridRows {
  const store = new RowStore((asked, signal) => api.readPage(asked, signal), isPlain)
  const datasource: IDatasource = {
    getRows: (params) =>
      store.want(blockOf(params.startRow), {
        onFound: (rows, total) => params.successCallback([...rows], total),
        onGone: () => params.failCallback(),
      }),
  }
  return { api, store, datasource, writes: new RowWrites(store, api, queue) }
}

/** Shows what has changed. */
function useRowListener(grid: GridRef): RowListener {
  const isDue = useRef(false)
  const refresh = useCallback(() => {
    if (isDue.current) return
    isDue.current = true
    const go = () => {
      const api = grid.current
      // A row that took the place of the one that is edited would get what is entered.
      if (api && api.getEditingCells().length > 0) return void setTimeout(go, 200)
      isDue.current = false
      if (api && !api.isDestroyed()) api.refreshInfiniteCache()
    }
    requestAnimationFrame(go)
  }, [grid])
  return useMemo<RowListener>(
    () => ({
      onRows(changed, isOwn) {
        if (changed.length > MOST_ONE_BY_ONE) return refresh()
        for (const { row } of changed) showRow(grid, row, !isOwn)
      },
      onBlocks: refresh,
      onTotal: (total) => grid.current?.setRowCount(total, true),
    }),
    [grid, refresh],
  )
}

/** Puts a row in place of what the grid has of it; what somebody else has changed flashes. */
function showRow({ current: api }: GridRef, row: Row, flashes: boolean): void {
  const node = api?.getRowNode(String(row.id))
  if (!api || !node) return
  const before = node.data?.fields ?? {}
  node.setData(row)
  const columns = Object.keys(row.fields).filter((id) => !isSameValue(row.fields[id], before[id]))
  if (flashes && columns.length > 0) api.flashCells({ rowNodes: [node], columns })
}

interface TakenBy {
  readonly tableId: string
  readonly sort: string
  readonly filter: string
  readonly store: RowStore
  readonly writes: RowWrites
}

function takeChange({ seq, operations, truncated }: Change, taken: TakenBy): void {
  const { tableId, store, writes } = taken
  if (truncated) store.renewSoon(false)
  for (const operation of operations) {
    if (operation.tableId !== tableId) continue
    if (!('rowIds' in operation)) {
      // Its cells may be other ones, of another type; and cursors do not outlive that.
      store.renewSoon(false)
    } else if (operation.action === 'updateRows') {
      writes.take({ seq, rowIds: operation.rowIds, columns: newCells(operation) })
      if (movesRows(operation, taken)) store.renewSoon(false)
    } else store.renewSoon(operation.action === 'addRows' && taken.sort === '')
  }
}

function newCells({ columns }: RowOperation): Record<string, readonly unknown[]> {
  return Object.fromEntries(
    Object.entries(columns).flatMap(([colId, cells]) => (cells.new ? [[colId, cells.new]] : [])),
  )
}

/** True when rows may stand elsewhere now, or not pass the filter any more. */
function movesRows({ columns }: RowOperation, { sort, filter }: TakenBy): boolean {
  const sorted = sort.split(',').map((key) => key.replace(/^-/, '').replace(/:.*$/, ''))
  const filtered = filter.includes('"or"')
  return (
    filtered ||
    Object.keys(columns).some((colId) => sorted.includes(colId) || filter.includes(`"${colId}"`))
  )
}
