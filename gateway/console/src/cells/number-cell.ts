import { columnName, defineKind, type CellKind } from './cell-kind'
import { numberText, readNumber } from './number-text'
import { showValue } from './show-value'
import { TextEditor, type TextRules } from './text-editor'

const isNumber = (value: unknown): value is number => typeof value === 'number'

/** Numbers, whole or not. What cannot be read as one goes to the API as text, which reads amounts of money and the like. */
export const numberKind: CellKind = defineKind({
  align: 'end',
  fits: isNumber,
  own: (column) => ({
    cellEditor: TextEditor,
    cellEditorParams: {
      label: columnName(column),
      toText: (value) => (isNumber(value) ? numberText(value) : showValue(value)),
      fromText: (text) => (text.trim() === '' ? null : (readNumber(text) ?? text)),
      inputMode: 'decimal',
    } satisfies TextRules,
  }),
})
