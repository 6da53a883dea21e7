import type { GridApi, IDatasource } from 'ag-grid-community'
import { useCallback, useMemo, useRef, type RefObject } from 'react'
import type { Row } from '../../api/resources'
import { isSameValue } from '../../formats/value'
import { isComposing } from '../composition/use-composition'
import type { FollowedFocus } from '../moves/followed-focus'
import type { RowMoves } from '../moves/row-moves'
import { isDragging } from '../ranges/pointer-drag'
import { blockOf } from '../rows/row-blocks'
import type { RowStore } from '../rows/row-store'
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

/** The rows of a grid: reads, writes, groups, the focus among them and the data source of AG Grid. */
export interface GridRows extends LiveRows {
  readonly groups: RowGroups
  readonly focus: FollowedFocus
  readonly datasource: IDatasource
}

/** A ref to the AG Grid API, set while the grid is mounted. */
export type GridRef = RefObject<GridApi<Row> | null>

/** A grid, and what goes with its rows to other places. */
export interface GridMoves {
  readonly grid: GridRef
  readonly moves: RowMoves
  readonly focus: FollowedFocus
}

/** The rows that a grid shows, in their groups. */
export interface GridSelection extends RowSelection {
  readonly grouped: GroupParts
}

/** The rows of a table in a view, in its groups, kept up to date by the change stream. */
export function useGridRows(
  table: ShownTable,
  { grouped, ...selection }: GridSelection,
  { grid, moves, focus }: GridMoves,
): GridRows {
  const groups = useRowGroups(table, selection, grouped)
  const rows = useLiveRows(table, groups.selection, useRowDisplay(grid, moves))
  const { store } = rows
  const datasource = useMemo(() => datasourceOf(store, grid, moves), [store, grid, moves])
  return useMemo(() => ({ ...rows, groups, focus, datasource }), [rows, groups, focus, datasource])
}

const datasourceOf = (store: RowStore, grid: GridRef, moves: RowMoves): IDatasource => ({
  getRows: (params) =>
    store.request(blockOf(params.startRow), {
      onFound: (rows, total) => moves.run(() => params.successCallback([...rows], total)),
      onDropped: () => params.failCallback(),
    }),
  destroy() {
    // The cell of an open editor is about to be removed; what was entered is written.
    grid.current?.stopEditing()
    moves.startOver()
  },
})

/** Draws the marks of cells that are not stored, whose values stay the same. */
function refreshMarks({ current: api }: GridRef, ids: readonly number[]): void {
  if (!api || api.isDestroyed()) return
  if (ids.length > MAX_SINGLE_UPDATES) return api.refreshCells({ force: true })
  const rowNodes = ids.flatMap((id) => api.getRowNode(String(id)) ?? [])
  if (rowNodes.length > 0) api.refreshCells({ rowNodes, force: true })
}

/** Updates the grid when rows change. */
function useRowDisplay(grid: GridRef, moves: RowMoves): RowDisplay {
  const isDue = useRef(false)
  const lateTotal = useRef<number>(undefined)
  const refresh = useCallback(() => {
    if (isDue.current) return
    isDue.current = true
    const go = () => {
      const api = grid.current
      // If another row moved to the edited position, it would get the entered value.
      if (isInUse(api)) return void setTimeout(go, 200)
      isDue.current = false
      if (!api || api.isDestroyed()) return
      const { current: total } = lateTotal
      if (total !== undefined) moves.run(() => api.setRowCount(total, true))
      lateTotal.current = undefined
      api.refreshInfiniteCache()
    }
    requestAnimationFrame(go)
  }, [grid, moves])
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
        lateTotal.current = isInUse(api) ? count : undefined
        if (lateTotal.current === undefined) moves.run(() => api?.setRowCount(count, true))
        else refresh()
      },
    }),
    [grid, moves, refresh],
  )
}

/** True while rows must stay where they are: a cell is edited, or cells are selected by the pointer. */
const isInUse = (api: GridApi<Row> | null): boolean =>
  api !== null &&
  !api.isDestroyed() &&
  (api.getEditingCells().length > 0 || isComposing() || isDragging())

/** Updates a row in the grid. Cells changed by other users flash. */
function showRow({ current: api }: GridRef, row: Row, flashes: boolean): void {
  const node = api?.getRowNode(String(row.id))
  if (!api || !node) return
  const before = node.data?.fields ?? {}
  node.setData(row)
  const columns = Object.keys(row.fields).filter((id) => !isSameValue(row.fields[id], before[id]))
  if (flashes && columns.length > 0) api.flashCells({ rowNodes: [node], columns })
}
