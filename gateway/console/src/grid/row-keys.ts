import { SELECTION_COLUMN_ID, type CellPosition, type GridApi } from 'ag-grid-community'
import type { KeyboardEvent } from 'react'
import type { Column, Row } from '../api/resources'
import { isEditable, type CellContext } from '../cells/editing/cell-type'
import { handleEdgeKey } from './edge-keys'
import { handleGroupKey } from './grouping/group-keys'
import { isGroupRow } from './groups/group-row'
import type { GroupedRows } from './groups/grouped-rows'
import { NUMBER_COLUMN } from './columns/number-column'

interface RowKeys {
  readonly context: CellContext
  readonly columns: readonly Column[]
  /** Undefined for rows without groups. */
  readonly grouped: GroupedRows | undefined
  readonly openRow: (rowId: number) => void
  /** Undefined for those who may not add rows. */
  readonly addRow: (() => void) | undefined
}

/**
 * Handles keys of rows: Escape leaves the grid for its footer, since Tab moves from cell to cell; Shift+Enter adds a row, and
 * Space opens the one of the focused cell. Home and End go to its ends. Headers of groups and totals have keys of their own.
 */
export function handleRowKey(
  event: KeyboardEvent<HTMLElement>,
  api: GridApi<Row> | null,
  keys: RowKeys,
): void {
  if (!api || api.getEditingCells().length > 0) return
  if (handleGroupKey(event, api, keys.grouped) || handleEdgeKey(event, api, keys.columns)) return
  handlePlainRowKey(event, api, keys)
}

function handlePlainRowKey(
  event: KeyboardEvent<HTMLElement>,
  api: GridApi<Row>,
  keys: RowKeys,
): void {
  if (event.key === 'Escape')
    event.currentTarget.closest('.grid')?.querySelector<HTMLElement>('.grid-foot')?.focus()
  const rowId = rowToOpen(event, api, keys)
  const isAdding = event.key === 'Enter' && event.shiftKey && keys.addRow !== undefined
  if (rowId === undefined && !isAdding) return
  // The grid would move up, or select the row.
  event.preventDefault()
  event.stopPropagation()
  if (rowId !== undefined) keys.openRow(rowId)
  else keys.addRow?.()
}

/** Returns the id of the row that a key opens: Space in a cell, unless it changes the cell, and Enter as well in a row number. */
function rowToOpen(event: KeyboardEvent, api: GridApi<Row>, keys: RowKeys): number | undefined {
  const cell = api.getFocusedCell()
  if (
    !cell ||
    cell.rowPinned ||
    !isPlainKey(event) ||
    !(event.target as Element).matches('.ag-cell')
  )
    return undefined
  const row = api.getDisplayedRowAtIndex(cell.rowIndex)?.data
  if (!row || isGroupRow(row)) return undefined
  const isNumber = cell.column.getColId() === NUMBER_COLUMN
  const opens = event.key === ' ' ? !usesSpace(cell, row, keys) : event.key === 'Enter' && isNumber
  return opens ? row.id : undefined
}

const isPlainKey = ({ shiftKey, ctrlKey, altKey, metaKey }: KeyboardEvent): boolean =>
  !shiftKey && !ctrlKey && !altKey && !metaKey

/** True for checkboxes, which Space toggles: those of cells, and those that select rows. */
function usesSpace({ column }: CellPosition, row: Row, { context, columns }: RowKeys): boolean {
  const colId = column.getColId()
  if (colId === SELECTION_COLUMN_ID) return true
  const shown = columns.find(({ id }) => id === colId)
  return (
    shown?.fields.type === 'Bool' &&
    isEditable(shown, context) &&
    typeof row.fields[colId] !== 'string'
  )
}
