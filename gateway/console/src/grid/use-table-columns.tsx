import { useCallback, type ReactNode } from 'react'
import type { Column } from '../api/resources'
import type { CellContext } from '../cells/editing/cell-type'
import type { MenuItem } from '../components/overlays/menu-items'
import { useApiMutation } from '../components/use-api-mutation'
import { columnName, isComputed } from '../formats/column'
import { recalculate } from '../formulas/formula-check'
import { useColumnDialogs } from '../structure/columns/use-column-dialogs'
import { isGroupRow } from './groups/group-row'
import { FormulaBar } from './formula-bar/formula-bar'
import type { RowStore } from './rows/row-store'
import { useFocusedFormula, usePendingCells } from './formula-bar/use-focused-formula'
import type { GridRef } from './live-rows/use-grid-rows'

/** Rows of which results of a formula are shown. */
const MAX_ROWS = 10
/** Nothing is computed in the past. */
const NO_COLUMNS: readonly Column[] = []

/** The columns of a grid: what their menus offer, and their formulas. */
export interface TableColumns {
  /** Opens the panel to add a column. */
  readonly add: () => void
  /** Menu items of a column. */
  readonly items: (column: Column) => MenuItem[]
  /** The open dialog, if any. */
  readonly dialog: ReactNode
  /** The open panel of a column, if any. */
  readonly panel: ReactNode
  /** Closes the panel, after a question if there are edits. The same function each time. */
  readonly leave: () => void
  /** The formula of the focused cell; nothing in a table without formulas. */
  readonly formulaBar: ReactNode
  /** Must be called when another cell gets the focus. */
  readonly onFocus: () => void
}

interface GridParts {
  readonly columns: readonly Column[]
  readonly grid: GridRef
  readonly store: RowStore
}

/** Dialogs, menus and formulas of the columns of a grid. */
export function useTableColumns(context: CellContext, parts: GridParts): TableColumns {
  const { docId, tableId, canEdit, asOf } = context
  const { columns, grid, store } = parts
  const rowIds = useCallback(() => rowsInView(grid), [grid])
  const { openFormula, items, ...dialogs } = useColumnDialogs(context, rowIds)
  const { focused, onFocus } = useFocusedFormula(columns, grid)
  const refresh = useCallback(() => store.scheduleRefresh(false), [store])
  usePendingCells(asOf === undefined ? columns : NO_COLUMNS, grid, refresh)
  const { mutateOrToast } = useApiMutation()
  const start = (column: Column) =>
    mutateOrToast(
      async () => {
        await recalculate(docId, tableId, column.id)
        refresh()
      },
      `${columnName(column)} is being calculated again.`,
    )
  const ownItems = (column: Column): MenuItem[] =>
    canEdit && isComputed(column)
      ? [{ label: 'Calculate again', onSelect: () => start(column) }]
      : []
  return {
    ...dialogs,
    onFocus,
    items: (column) => startGroup([...ownItems(column), ...items(column)]),
    formulaBar: columns.some(({ fields }) => fields.formula !== '') && (
      <FormulaBar
        context={context}
        focused={focused}
        onOpen={() => focused && openFormula(focused.column)}
        onRecalculate={() => focused && start(focused.column)}
      />
    ),
  }
}

const startGroup = ([first, ...others]: MenuItem[]): MenuItem[] =>
  first ? [{ ...first, startsGroup: true }, ...others] : []

/** Ids of rows in the visible part of a grid, from the top. */
function rowsInView({ current: api }: GridRef): readonly number[] {
  if (!api) return []
  const { top, bottom } = api.getVerticalPixelRange()
  return api
    .getRenderedNodes()
    .filter(({ rowTop }) => rowTop !== null && rowTop >= top && rowTop < bottom)
    .sort((a, b) => (a.rowIndex ?? 0) - (b.rowIndex ?? 0))
    .flatMap(({ data }) => (data && !isGroupRow(data) ? [data.id] : []))
    .slice(0, MAX_ROWS)
}
