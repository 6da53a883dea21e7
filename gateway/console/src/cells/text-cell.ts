import { columnName, defineKind, popup, type CellKind } from './cell-kind'
import { showValue } from './show-value'
import { TextEditor, type TextRules } from './text-editor'

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
