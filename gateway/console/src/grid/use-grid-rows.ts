import type { Change, RowOperation } from '@sheaf/client'
import type { GridApi, IDatasource } from 'ag-grid-community'
import { useCallback, useEffect, useMemo, useRef, type RefObject } from 'react'
import type { Row } from '../api/resources'
import type { CellContext } from '../cells/editing/cell-type'
import { isSameValue } from '../formats/value'
import type { TableView, TableWrites } from '../writes/table-writes'
import { outbox } from '../writes/outbox'
import { useLiveChanges } from '../live/live-provider'
import type { ChangeListener } from '../live/change-stream'
import { viewParameters, type GridView } from './view/grid-view'
import { blockOf } from './rows/row-blocks'
import { RowStore, type RowListener } from './rows/row-store'
import { RowsApi, type RowSearch } from './rows/rows-api'

/** Up to this many changed rows are updated individually; beyond, the grid reloads its blocks. */
const MAX_SINGLE_UPDATES = 100

/** The rows of a grid: reads, writes and the data source of AG Grid. */
export interface GridRows {
  readonly api: RowsApi
  readonly store: RowStore
  readonly writes: TableWrites
  readonly datasource: IDatasource
}

/** A ref to the AG Grid API, set while the grid is mounted. */
export type GridRef = RefObject<GridApi<Row> | null>

/** The table of a grid, now or as of a change. */
export type ShownTable = Pick<CellContext, 'docId' | 'tableId' | 'asOf'>

/** The rows of a table in a view, kept up to date by the change stream. */
export function useGridRows(
  { docId, tableId, asOf }: ShownTable,
  { view, search }: { readonly view: GridView; readonly search: RowSearch },
  grid: GridRef,
): GridRows {
  const { sort, filter } = viewParameters(view)
  const writes = outbox.writesOf(docId, tableId)
  const rows = useMemo(() => {
    const api = new RowsApi({ docId, tableId, sort, filter, search, asOf })
    return createRows(api, writes)
  }, [docId, tableId, sort, filter, search, asOf, writes])
  const { store } = rows
  const listener = useRowListener(grid)
  useEffect(() => store.open(listener), [store, listener])
  const isPresent = asOf === undefined
  useEffect(
    () => (isPresent ? writes.attach(viewOf(store, grid)) : undefined),
    [isPresent, writes, store, grid],
  )
  const changeListener = useMemo<ChangeListener>(
    () => ({
      onChange: (change) => handleChange(change, { tableId, sort, filter, search, store }),
      onGap: () => store.scheduleRefresh(false),
    }),
    [tableId, sort, filter, search, store],
  )
  useLiveChanges(changeListener)
  return rows
}

function createRows(api: RowsApi, writes: TableWrites): GridRows {
  const store = new RowStore(
    (request, signal) => api.readPage(request, signal),
    api.isPresent ? writes.show : undefined,
  )
  const datasource: IDatasource = {
    getRows: (params) =>
      store.request(blockOf(params.startRow), {
        onFound: (rows, total) => params.successCallback([...rows], total),
        onDropped: () => params.failCallback(),
      }),
  }
  return { api, store, datasource, writes }
}

/** What the writes of the table show in a grid. */
function viewOf(store: RowStore, grid: GridRef): TableView {
  return {
    store: ({ rows, seq }) => store.replace(rows, seq),
    assume(changes) {
      for (const { id, fields } of changes) {
        const row = store.find(id)
        if (row) store.replace([{ ...row, fields: { ...row.fields, ...fields } }], 0)
      }
      store.scheduleRefresh(false)
    },
    redraw(ids) {
      store.redraw(ids)
      refreshMarks(grid, ids)
    },
  }
}

/** Draws the marks of cells that are not stored, whose values stay the same. */
function refreshMarks({ current: api }: GridRef, ids: readonly number[]): void {
  if (!api || api.isDestroyed()) return
  if (ids.length > MAX_SINGLE_UPDATES) return api.refreshCells({ force: true })
  const rowNodes = ids.flatMap((id) => api.getRowNode(String(id)) ?? [])
  if (rowNodes.length > 0) api.refreshCells({ rowNodes, force: true })
}

/** Updates the grid when rows change. */
function useRowListener(grid: GridRef): RowListener {
  const isDue = useRef(false)
  const lateTotal = useRef<number>(undefined)
  const refresh = useCallback(() => {
    if (isDue.current) return
    isDue.current = true
    const go = () => {
      const api = grid.current
      // If another row moved to the edited position, it would get the entered value.
      if (isEditing(api)) return void setTimeout(go, 200)
      isDue.current = false
      if (!api || api.isDestroyed()) return
      if (lateTotal.current !== undefined) api.setRowCount(lateTotal.current, true)
      lateTotal.current = undefined
      api.refreshInfiniteCache()
    }
    requestAnimationFrame(go)
  }, [grid])
  return useMemo<RowListener>(
    () => ({
      onRows(changed, isOwn) {
        if (changed.length > MAX_SINGLE_UPDATES) return refresh()
        for (const { row } of changed) showRow(grid, row, !isOwn)
      },
      onBlocks: refresh,
      onTotal(count) {
        const { current: api } = grid
        // The editor of a row at the end would be closed, and lose its text.
        lateTotal.current = isEditing(api) ? count : undefined
        if (lateTotal.current === undefined) api?.setRowCount(count, true)
        else refresh()
      },
    }),
    [grid, refresh],
  )
}

const isEditing = (api: GridApi<Row> | null): boolean =>
  api !== null && !api.isDestroyed() && api.getEditingCells().length > 0

/** Updates a row in the grid. Cells changed by other users flash. */
function showRow({ current: api }: GridRef, row: Row, flashes: boolean): void {
  const node = api?.getRowNode(String(row.id))
  if (!api || !node) return
  const before = node.data?.fields ?? {}
  node.setData(row)
  const columns = Object.keys(row.fields).filter((id) => !isSameValue(row.fields[id], before[id]))
  if (flashes && columns.length > 0) api.flashCells({ rowNodes: [node], columns })
}

interface ChangeTarget {
  readonly tableId: string
  readonly sort: string
  readonly filter: string
  readonly search: RowSearch
  readonly store: RowStore
}

function handleChange({ seq, operations, truncated }: Change, target: ChangeTarget): void {
  const { tableId, search, store } = target
  if (truncated) store.scheduleRefresh(false)
  for (const operation of operations) {
    if (operation.tableId !== tableId) {
      // References show other texts now.
      const isSearched = search.text !== '' && search.tables.split(',').includes(operation.tableId)
      if (isSearched) store.scheduleRefresh(false)
      continue
    }
    if (!('rowIds' in operation)) {
      // The values and types of cells may have changed, and cursors are invalid after a schema change.
      store.scheduleRefresh(false)
    } else if (operation.action === 'updateRows') {
      store.apply({ seq, rowIds: operation.rowIds, columns: newCells(operation) })
      if (movesRows(operation, target)) store.scheduleRefresh(false)
    } else {
      const { action, rowIds } = operation
      store.scheduleRefresh(action === 'addRows' && target.sort === '' && store.areNew(rowIds))
    }
  }
}

function newCells({ columns }: RowOperation): Record<string, readonly unknown[]> {
  return Object.fromEntries(
    Object.entries(columns).flatMap(([colId, cells]) => (cells.new ? [[colId, cells.new]] : [])),
  )
}

/** Returns true if rows may have moved, or may no longer match filter and search. */
function movesRows({ columns }: RowOperation, { sort, filter, search }: ChangeTarget): boolean {
  if (search.text !== '') return true
  const sorted = sort.split(',').map((key) => key.replace(/^-/, '').replace(/:.*$/, ''))
  const filtered = filter.includes('"or"')
  return (
    filtered ||
    Object.keys(columns).some((colId) => sorted.includes(colId) || filter.includes(`"${colId}"`))
  )
}
