import type { GridApi, IDatasource } from 'ag-grid-community'
import { useCallback, useMemo, useRef, type RefObject } from 'react'
import type { Row } from '../api/resources'
import { isSameValue } from '../formats/value'
import { blockOf } from './rows/row-blocks'
import type { RowStore } from './rows/row-store'
import { useRowGroups, type GroupParts, type RowGroups } from './use-row-groups'
import {
  useLiveRows,
  type LiveRows,
  type RowDisplay,
  type RowSelection,
  type ShownTable,
} from './use-live-rows'

/** Up to this many changed rows are updated individually; beyond, the grid reloads its blocks. */
const MAX_SINGLE_UPDATES = 100

/** The rows of a grid: reads, writes, groups and the data source of AG Grid. */
export interface GridRows extends LiveRows {
  readonly groups: RowGroups
  readonly datasource: IDatasource
}

/** A ref to the AG Grid API, set while the grid is mounted. */
export type GridRef = RefObject<GridApi<Row> | null>

/** The rows that a grid shows, in their groups. */
export interface GridSelection extends RowSelection {
  readonly grouped: GroupParts
}

/** The rows of a table in a view, in its groups, kept up to date by the change stream. */
export function useGridRows(
  table: ShownTable,
  { grouped, ...selection }: GridSelection,
  grid: GridRef,
): GridRows {
  const groups = useRowGroups(table, selection, grouped)
  const rows = useLiveRows(table, groups.selection, useRowDisplay(grid))
  const { store } = rows
  const datasource = useMemo(() => datasourceOf(store), [store])
  return useMemo(() => ({ ...rows, groups, datasource }), [rows, groups, datasource])
}

const datasourceOf = (store: RowStore): IDatasource => ({
  getRows: (params) =>
    store.request(blockOf(params.startRow), {
      onFound: (rows, total) => params.successCallback([...rows], total),
      onDropped: () => params.failCallback(),
    }),
})

/** Draws the marks of cells that are not stored, whose values stay the same. */
function refreshMarks({ current: api }: GridRef, ids: readonly number[]): void {
  if (!api || api.isDestroyed()) return
  if (ids.length > MAX_SINGLE_UPDATES) return api.refreshCells({ force: true })
  const rowNodes = ids.flatMap((id) => api.getRowNode(String(id)) ?? [])
  if (rowNodes.length > 0) api.refreshCells({ rowNodes, force: true })
}

/** Updates the grid when rows change. */
function useRowDisplay(grid: GridRef): RowDisplay {
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
  return useMemo<RowDisplay>(
    () => ({
      onRows(changed, isOwn) {
        if (changed.length > MAX_SINGLE_UPDATES) return refresh()
        for (const { row } of changed) showRow(grid, row, !isOwn)
      },
      onBlocks: refresh,
      onMarks: (ids) => refreshMarks(grid, ids),
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
