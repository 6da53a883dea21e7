import { readCell } from '../../formats/cell-text'
import { columnName } from '../../formats/column'
import { zoneOf } from '../../formats/time-zone'
import { defineCellType, popup, type CellType } from '../editing/cell-type'
import { DateEditor, type DateRules } from './date-editor'

/** Dates without a time. */
export const dateCell: CellType = defineCellType({
  align: 'end',
  isValid: (value) => typeof value === 'number',
  column: (column) => ({
    cellEditor: DateEditor,
    cellEditorParams: {
      label: columnName(column),
      read: (text) => readCell(text, column),
    } satisfies DateRules,
  }),
})

/** Dates with a time, in the time zone of the column. */
export const dateTimeCell: CellType = defineCellType({
  align: 'end',
  isValid: (value) => typeof value === 'number',
  column: (column) => ({
    cellEditor: DateEditor,
    ...popup('over'),
    cellEditorParams: {
      label: columnName(column),
      zone: zoneOf(column.fields.type),
      read: (text) => readCell(text, column),
    } satisfies DateRules,
  }),
})
