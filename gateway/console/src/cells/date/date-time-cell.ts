import { columnName, defineKind, popup, type CellKind } from '../base/cell-type'
import { zoneOf } from '../../formats/time-zone'
import { DateEditor } from './date-editor'

/** Instants, by the clocks of the column's zone. */
export const dateTimeKind: CellKind = defineKind({
  align: 'end',
  fits: (value) => typeof value === 'number',
  own: (column) => ({
    cellEditor: DateEditor,
    ...popup('over'),
    cellEditorParams: { label: columnName(column), zone: zoneOf(column.fields.type) },
  }),
})
