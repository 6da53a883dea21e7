import { columnName, defineKind, type CellKind } from './base/cell-type'
import { cellText, readCell } from '../formats/cell-text'
import { TextEditor, type TextRules } from './base/text-editor'

/** Numbers, whole or not. What cannot be read as one goes to the API as text, which reads amounts of money and the like. */
export const numberKind: CellKind = defineKind({
  align: 'end',
  fits: (value) => typeof value === 'number',
  own: (column) => ({
    cellEditor: TextEditor,
    cellEditorParams: {
      label: columnName(column),
      toText: (value) => cellText(value, column),
      fromText: (text) => readCell(text, column),
      inputMode: 'decimal',
    } satisfies TextRules,
  }),
})
