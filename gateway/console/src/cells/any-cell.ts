import { anyText, readAny } from '../formats/any-value'
import { columnName, defineKind, popup, type CellKind } from './base/cell-type'
import { TextEditor, type TextRules } from './base/text-editor'

/** Values of whatever type, and those of types that are unknown here. */
export const anyKind: CellKind = defineKind({
  fits: () => true,
  own: (column) => ({
    cellClass: ({ value }: { value?: unknown }) =>
      typeof value === 'number' ? 'cell-end' : 'cell-start',
    cellEditor: TextEditor,
    ...popup('over'),
    cellEditorParams: {
      label: columnName(column),
      toText: anyText,
      fromText: readAny,
      isMultiline: true,
    } satisfies TextRules,
  }),
})
