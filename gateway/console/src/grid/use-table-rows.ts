import type { GridApi } from 'ag-grid-community'
import { useRef } from 'react'
import type { Column } from '../api/resources'
import type { GridView } from './view/grid-view'
import type { Row } from '../api/row'
import { useGridRows, type GridRef, type GridRows } from './use-grid-rows'
import { useGridView } from './view/use-grid-view'
import { useRowActions, type RowActions } from './use-cell-editing'
import { useRowSet, type RowSet } from './use-row-commands'

/** The rows of a table as one grid shows them, and all that can be done with them. */
export interface TableRows {
  readonly view: GridView
  readonly setView: (view: GridView) => void
  readonly grid: GridRef
  readonly rows: GridRows
  readonly actions: RowActions
  readonly rowSet: RowSet
}

/** The rows of a table in the view that the address tells. */
export function useTableRows(
  table: { readonly docId: string; readonly tableId: string },
  columns: readonly Column[],
): TableRows {
  const [view, setView] = useGridView()
  const grid = useRef<GridApi<Row>>(null)
  const rows = useGridRows(table, view, grid)
  const actions = useRowActions(rows, columns, grid)
  const rowSet = useRowSet(rows, { view, columns }, grid)
  return { view, setView, grid, rows, actions, rowSet }
}
