import { useCallback, useEffect, useState } from 'react'
import type { Column, Row } from '../../api/resources'
import { isComputed } from '../../formats/column'
import { isPending } from '../../formats/value'
import { isGroupRow } from '../groups/group-row'
import type { GridRef } from '../live-rows/use-grid-rows'

/** A cell of a formula column that has the focus. */
export interface FocusedFormula {
  readonly column: Column
  readonly row: Row
}

interface FocusedCell {
  readonly rowIndex: number
  readonly colId: string
}

/** The focused cell, if its column has a formula; the cell as it is shown now. */
export function useFocusedFormula(
  columns: readonly Column[],
  grid: GridRef,
): { readonly focused: FocusedFormula | undefined; readonly onFocus: () => void } {
  const [cell, setCell] = useState<FocusedCell>()
  const [row, setRow] = useState<Row>()
  const onFocus = useCallback(() => {
    const focused = grid.current?.getFocusedCell()
    setCell(
      focused && !focused.rowPinned
        ? { rowIndex: focused.rowIndex, colId: focused.column.getColId() }
        : undefined,
    )
  }, [grid])
  useEffect(() => {
    const node = cell && grid.current?.getDisplayedRowAtIndex(cell.rowIndex)
    const read = () => setRow(isGroupRow(node?.data) ? undefined : node?.data)
    read()
    node?.addEventListener('dataChanged', read)
    return () => node?.removeEventListener('dataChanged', read)
  }, [cell, grid])
  const column = columns.find(({ id }) => id === cell?.colId)
  const focused = column && row && column.fields.formula !== '' ? { column, row } : undefined
  return { focused, onFocus }
}

/** How often cells that are pending are read again, in milliseconds. */
const PENDING_MS = 2_000

/** Reads the rows again while cells in view are pending: a cell that is computed without a change is no change of the log. */
export function usePendingCells(
  columns: readonly Column[],
  grid: GridRef,
  refresh: () => void,
): void {
  useEffect(() => {
    const computed = columns.filter(isComputed).map(({ id }) => id)
    if (computed.length === 0) return
    const look = () => {
      const rows = grid.current?.getRenderedNodes() ?? []
      const isWaiting = rows.some(({ data }) => computed.some((id) => isPending(data?.fields[id])))
      if (isWaiting) refresh()
    }
    const timer = setInterval(look, PENDING_MS)
    return () => clearInterval(timer)
  }, [columns, grid, refresh])
}
