import { columnName, defineKind, type CellKind } from '../base/cell-type'
import { DateEditor } from './date-editor'

/** Days. */
export const dateKind: CellKind = defineKind({
  align: 'end',
  fits: (value) => typeof value === 'number',
  own: (column) => ({
    cellEditor: DateEditor,
    cellEditorParams: { label: columnName(column) },
  }),
})
