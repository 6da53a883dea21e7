import { columnName, defineKind, popup, type CellKind } from './base/cell-type'
import { showValue } from '../formats/value'
import { TextEditor, type TextRules } from './base/text-editor'

/** Text, on any number of lines. */
export const textKind: CellKind = defineKind({
  fits: (value) => typeof value === 'string',
  own: (column) => ({
    cellEditor: TextEditor,
    ...popup('over'),
    cellEditorParams: {
      label: columnName(column),
      toText: showValue,
      fromText: (text) => text,
      isMultiline: true,
    } satisfies TextRules,
  }),
})
