import type { ColDef } from 'ag-grid-community'
import type { Column } from '../../api/resources'
import type { Row } from '../../api/row'
import { isComputed } from '../../formats/column'
import { showCell } from '../../formats/cell'
import { isSameValue } from '../../formats/value'
import { keepTyped, leaveByTab } from './type-ahead'

/** Where a cell stands, and whether its reader may change it. */
export interface CellPlace {
  readonly docId: string
  readonly tableId: string
  readonly canEdit: boolean
}

/** What a column of the grid is made of, as far as its cells go. */
type CellColumn = Partial<ColDef<Row>>

/** How the cells of a type look and are edited. */
export interface CellKind {
  /** What the grid needs for a column; what its editor hands over is what the API takes. */
  readonly column: (column: Column, place: CellPlace) => CellColumn
}

/** What one kind of cell has of its own. */
interface KindRules {
  readonly align?: 'start' | 'end' | 'center'
  /** True for values of the type; any other, such as text that the API kept, is marked. */
  readonly fits: (value: unknown) => boolean
  readonly own: (column: Column, place: CellPlace) => CellColumn
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
export function defineKind({ align = 'start', fits, own }: KindRules): CellKind {
  return {
    column: (column, place) => ({
      cellDataType: false,
      // A row that is not there yet has nothing to edit.
      editable: isEditable(column, place) && (({ data }) => data !== undefined),
      equals: isSameValue,
      valueFormatter: ({ value }) => showCell(value, column),
      cellClass: ({ value }: { value?: unknown }) =>
        value === null || value === undefined || value === '' || fits(value)
          ? `cell-${align}`
          : 'cell-start cell-kept',
      headerClass: `cell-${align}`,
      suppressKeyboardEvent: leaveByTab,
      ...own(column, place),
    }),
  }
}

/** True for who may edit, and cells that no formula computes. */
export const isEditable = (column: Column, { canEdit }: CellPlace): boolean =>
  canEdit && !isComputed(column)

/** The name of a column for people. */
export const columnName = ({ id, fields }: Column): string => fields.label || id
