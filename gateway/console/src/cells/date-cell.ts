import { columnName, defineKind, type CellKind } from './cell-kind'
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
