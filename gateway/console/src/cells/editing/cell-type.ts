import type { ColDef } from 'ag-grid-community'
import type { Column, Row } from '../../api/resources'
import { isComputed } from '../../formats/column'
import { formatCell } from '../../formats/cell'
import { isSameValue } from '../../formats/value'
import { widgetOptions } from '../../formats/widget-options'
import { bufferKeys, leaveByTab } from './type-ahead'

/** The table of a cell, whether the user can edit it, and the shown moment. */
export interface CellContext {
  readonly docId: string
  readonly tableId: string
  readonly canEdit: boolean
  /** The seq of the change as of which the cell is shown; undefined for the present. */
  readonly asOf?: string
}

/** The cell-related options of an AG Grid column. */
export type CellColumn = Partial<ColDef<Row>>

/** Display and editing of the cells of a column type. */
export interface CellType {
  /** Returns the AG Grid options of a column. Values from its editor are sent to the API as they are. */
  readonly column: (column: Column, context: CellContext) => CellColumn
}

type Align = 'start' | 'end' | 'center'

/** The parts of a cell type that differ. */
interface CellTypeOptions {
  readonly align?: Align
  /** Returns true for values of the type. Others, such as text that could not be converted, are marked. */
  readonly isValid: (value: unknown) => boolean
  readonly column: (column: Column, context: CellContext) => CellColumn
}

/** Options of columns whose editor is a popup, over its cell or below it. */
export function popup(position: 'over' | 'under'): CellColumn {
  return {
    cellEditorPopup: true,
    cellEditorPopupPosition: position,
    suppressKeyboardEvent: (params) => bufferKeys(params) || leaveByTab(params),
  }
}

/** Where cells are aligned, by the option of the column. */
const alignments: ReadonlyMap<unknown, Align> = new Map([
  ['left', 'start'],
  ['center', 'center'],
  ['right', 'end'],
])

/** Creates a cell type. */
export function defineCellType({
  align = 'start',
  isValid,
  column: ownColumn,
}: CellTypeOptions): CellType {
  return {
    column: (column, context) => {
      const options = widgetOptions(column)
      const side = alignments.get(options.alignment) ?? align
      const classes = [`cell-${side}`, ...(options.wrap === true ? ['cell-wrap'] : [])]
      return {
        cellDataType: false,
        // A row that is not loaded cannot be edited.
        editable: isEditable(column, context) && (({ data }) => data !== undefined),
        equals: isSameValue,
        valueFormatter: ({ value }) => formatCell(value, column),
        cellClass: ({ value }: { value?: unknown }) =>
          value === null || value === undefined || value === '' || isValid(value)
            ? classes
            : 'cell-start cell-invalid',
        suppressKeyboardEvent: leaveByTab,
        ...ownColumn(column, context),
      }
    },
  }
}

/** Returns true if the user can edit the cells of a column. Computed cells cannot be edited. */
export const isEditable = (column: Column, { canEdit }: CellContext): boolean =>
  canEdit && !isComputed(column)
