import type { GridApi } from 'ag-grid-community'
import { useRef, type RefObject } from 'react'
import type { Column, Row } from '../api/resources'
import type { CellContext } from '../cells/editing/cell-type'
import { useSearchText } from './view/search-address'
import { useGridSearch, type GridSearch } from './search/use-grid-search'
import { useRowSearch } from './search/use-row-search'
import type { GridView } from './view/grid-view'
import { useGridView } from './view/use-grid-view'
import { useGridRows, type GridRef, type GridRows, type GridSelection } from './use-grid-rows'
import { useCellEditing, type CellEditing } from './use-cell-editing'
import { useGridPanel, type GridPanel } from './use-grid-panel'
import { useRanges, type Ranges } from './use-ranges'
import type { SetView } from './view/view-context'
import { useRowCommands, type RowCommands } from './use-row-commands'

/** The rows of a table in a grid, with the operations on them. */
export interface TableRows {
  readonly view: GridView
  readonly setView: SetView
  readonly search: GridSearch
  readonly grid: GridRef
  /** The element that contains the grid. */
  readonly body: RefObject<HTMLDivElement | null>
  readonly rows: GridRows
  readonly editing: CellEditing
  readonly ranges: Ranges
  readonly rowCommands: RowCommands
  /** The row that is open in a panel. */
  readonly opened: GridPanel
}

type TableParts = GridSelection['grouped'] & {
  /** The columns that are shown. What is selected and changed are these. */
  readonly shown: readonly Column[]
}

/** The rows of a table, in the view given by the URL. */
export function useTableRows(
  table: CellContext,
  { columns, shown, summaries }: TableParts,
): TableRows {
  const [view, setView] = useGridView()
  const grid = useRef<GridApi<Row>>(null)
  const body = useRef<HTMLDivElement>(null)
  const [text, setText] = useSearchText()
  const rowSearch = useRowSearch(text, shown)
  const rows = useGridRows(
    table,
    { view, search: rowSearch, grouped: { columns, summaries } },
    grid,
  )
  const searched = { text: rowSearch.text, setText, shown, grid, body, rows }
  const search = useGridSearch(table, searched)
  const editing = useCellEditing(rows, columns, { grid, body })
  const ranges = useRanges(rows, { ...table, columns: shown }, editing, { grid, body })
  const rowCommands = useRowCommands(
    rows,
    { view, search: rowSearch, columns: shown },
    { grid, body },
  )
  const { readPage, store, writes } = rows
  const panelParts = {
    columns,
    shown,
    store,
    readPage,
    writes,
    write: editing.write,
    remove: rowCommands.remove,
  }
  const opened = useGridPanel(table, panelParts, { grid, body })
  return { view, setView, grid, body, rows, search, editing, ranges, rowCommands, opened }
}
