import { useCallback } from 'react'
import type { Column, Row } from '../api/resources'
import type { CellContext } from '../cells/editing/cell-type'
import type { MenuItem } from '../components/menu'
import { useApiMutation } from '../components/use-api-mutation'
import { isComputed } from '../formats/column'
import { recalculate } from '../formulas/formula-check'
import type { RowStore } from './rows/row-store'
import { useFocusedFormula, usePendingCells, type FocusedFormula } from './use-focused-formula'
import type { GridRef } from './use-grid-rows'

/** Rows of which results of a formula are shown. */
const MAX_ROWS = 10

/** Formulas in a grid. */
export interface TableFormulas {
  /** The focused cell, if its column has a formula. */
  readonly focused: FocusedFormula | undefined
  /** Must be called when another cell gets the focus. */
  readonly onFocus: () => void
  /** Computes a column again. */
  readonly recalculate: (column: Column) => void
  /** Menu items of a column. */
  readonly items: (column: Column) => MenuItem[]
}

/** The focused formula of a grid, and the computation of its formula columns. */
export function useTableFormulas(
  { docId, tableId, canEdit }: CellContext,
  parts: { readonly columns: readonly Column[]; readonly grid: GridRef; readonly store: RowStore },
): TableFormulas {
  const { columns, grid, store } = parts
  const { focused, onFocus } = useFocusedFormula(columns, grid)
  const refresh = useCallback(() => store.scheduleRefresh(false), [store])
  usePendingCells(columns, grid, refresh)
  const { mutateOrToast } = useApiMutation()
  const start = (column: Column) =>
    mutateOrToast(
      async () => {
        await recalculate(docId, tableId, column.id)
        refresh()
      },
      `${column.fields.label || column.id} is being calculated again.`,
    )
  return {
    focused,
    onFocus,
    recalculate: start,
    items: (column) =>
      canEdit && isComputed(column)
        ? [{ label: 'Calculate again', onSelect: () => start(column) }]
        : [],
  }
}

/** Ids of rows in the visible part of a grid, from the top. */
export function rowsInView({ current: api }: GridRef): readonly number[] {
  if (!api) return []
  const { top, bottom } = api.getVerticalPixelRange()
  return api
    .getRenderedNodes()
    .filter(({ rowTop }) => rowTop !== null && rowTop >= top && rowTop < bottom)
    .sort((a, b) => (a.rowIndex ?? 0) - (b.rowIndex ?? 0))
    .flatMap(({ data }) => (data as Row | undefined)?.id ?? [])
    .slice(0, MAX_ROWS)
}
