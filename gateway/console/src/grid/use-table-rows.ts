import type { RefObject } from 'react'
import type { Column } from '../api/resources'
import type { CellContext } from '../cells/editing/cell-type'
import { useSearchText } from './view/search-address'
import { useGridSearch, type GridSearch } from './search/use-grid-search'
import { useRowSearch } from './search/use-row-search'
import type { GridView } from './view/grid-view'
import { useGridView } from './view/use-grid-view'
import {
  useGridRows,
  type GridRef,
  type GridRows,
  type GridSelection,
} from './live-rows/use-grid-rows'
import { useFollowedFocus } from './use-followed-focus'
import { useCellEditing, type CellEditing } from './editing/use-cell-editing'
import { useGridPanel, type GridPanel } from './use-grid-panel'
import { useRanges, type Ranges } from './use-ranges'
import type { SetView } from './view/view-context'
import { useRowCommands, type RowCommands } from './row-commands/use-row-commands'

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
  const followed = useFollowedFocus(table.tableId)
  const { grid, body } = followed
  const [text, setText] = useSearchText()
  const rowSearch = useRowSearch(text, shown)
  const rows = useGridRows(
    table,
    { view, search: rowSearch, grouped: { columns, summaries } },
    followed,
  )
  const searched = { text: rowSearch.text, setText, shown, grid, body, rows }
  const search = useGridSearch(table, searched)
  const editing = useCellEditing(rows, columns, followed)
  const ranges = useRanges(rows, { ...table, columns: shown }, editing, followed)
  const rowCommands = useRowCommands(
    rows,
    { tableId: table.tableId, view, search: rowSearch, columns: shown },
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
