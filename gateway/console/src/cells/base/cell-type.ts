import type { ColDef } from 'ag-grid-community'
import type { Column, Row } from '../../api/resources'
import { isComputed } from '../../formats/column'
import { formatCell } from '../../formats/cell'
import { isSameValue } from '../../formats/value'
import { keepTyped, leaveByTab } from './type-ahead'

/** Where a cell stands, and whether its reader may change it. */
export interface CellContext {
  readonly docId: string
  readonly tableId: string
  readonly canEdit: boolean
}

/** What a column of the grid is made of, as far as its cells go. */
type CellColumn = Partial<ColDef<Row>>

/** How the cells of a type look and are edited. */
export interface CellType {
  /** What the grid needs for a column; what its editor hands over is what the API takes. */
  readonly column: (column: Column, context: CellContext) => CellColumn
}

/** What one kind of cell has of its own. */
interface CellTypeOptions {
  readonly align?: 'start' | 'end' | 'center'
  /** True for values of the type; any other, such as text that the API kept, is marked. */
  readonly isValid: (value: unknown) => boolean
  readonly column: (column: Column, context: CellContext) => CellColumn
}

/** What a column has whose editor stands above the grid, over its cell or below it. */
export function popup(position: 'over' | 'under'): CellColumn {
  return {
    cellEditorPopup: true,
    cellEditorPopupPosition: position,
    suppressKeyboardEvent: (params) => keepTyped(params) || leaveByTab(params),
  }
}

/** A kind of cell by its rules. */
export function defineCellType({
  align = 'start',
  isValid,
  column: ownColumn,
}: CellTypeOptions): CellType {
  return {
    column: (column, context) => ({
      cellDataType: false,
      // A row that is not there yet has nothing to edit.
      editable: isEditable(column, context) && (({ data }) => data !== undefined),
      equals: isSameValue,
      valueFormatter: ({ value }) => formatCell(value, column),
      cellClass: ({ value }: { value?: unknown }) =>
        value === null || value === undefined || value === '' || isValid(value)
          ? `cell-${align}`
          : 'cell-start cell-kept',
      headerClass: `cell-${align}`,
      suppressKeyboardEvent: leaveByTab,
      ...ownColumn(column, context),
    }),
  }
}

/** True for who may edit, and cells that no formula computes. */
export const isEditable = (column: Column, { canEdit }: CellContext): boolean =>
  canEdit && !isComputed(column)
