import type { GridApi } from 'ag-grid-community'
import { useCallback, useMemo, useRef } from 'react'
import { useSearchParams } from 'react-router'
import type { Column, Row } from '../api/resources'
import { readView, writeView, type GridView } from './view/grid-view'
import { useGridRows, type GridRef, type GridRows, type ShownTable } from './use-grid-rows'
import { useCellEditing, type CellEditing } from './use-cell-editing'
import { useRowCommands, type RowCommands } from './use-row-commands'

/** The rows of a table in a grid, with the operations on them. */
export interface TableRows {
  readonly view: GridView
  readonly setView: (view: GridView) => void
  readonly grid: GridRef
  readonly rows: GridRows
  readonly actions: CellEditing
  readonly rowCommands: RowCommands
}

/** The rows of a table, in the view given by the URL. */
export function useTableRows(table: ShownTable, columns: readonly Column[]): TableRows {
  const [view, setView] = useGridView()
  const grid = useRef<GridApi<Row>>(null)
  const rows = useGridRows(table, view, grid)
  const actions = useCellEditing(rows, columns, grid)
  const rowCommands = useRowCommands(rows, { view, columns }, grid)
  return { view, setView, grid, rows, actions, rowCommands }
}

/** The view in the query string of the page; setting it navigates. */
function useGridView(): readonly [GridView, (view: GridView) => void] {
  const [query, setQuery] = useSearchParams()
  const view = useMemo(() => readView(query), [query])
  const setView = useCallback(
    (next: GridView) => setQuery((before) => writeView(before, next)),
    [setQuery],
  )
  return [view, setView]
}
