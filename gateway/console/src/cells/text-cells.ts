import { columnName } from '../formats/column'
import { anyText, readAny } from '../formats/any-value'
import { cellText, readCell } from '../formats/cell-text'
import { formatValue } from '../formats/value'
import { defineCellType, popup, type CellType } from './editing/cell-type'
import { TextEditor, type TextRules } from './editing/text-editor'

/** Text of any number of lines. */
export const textCell: CellType = defineCellType({
  isValid: (value) => typeof value === 'string',
  column: (column) => ({
    cellEditor: TextEditor,
    ...popup('over'),
    cellEditorParams: {
      label: columnName(column),
      toText: formatValue,
      fromText: (text) => text,
      isMultiline: true,
    } satisfies TextRules,
  }),
})

/**
 * Integers and decimals. Input that is not a number is sent as text, because the API also parses amounts of
 * money and percentages.
 */
export const numberCell: CellType = defineCellType({
  align: 'end',
  isValid: (value) => typeof value === 'number',
  column: (column) => ({
    cellEditor: TextEditor,
    cellEditorParams: {
      label: columnName(column),
      toText: (value) => cellText(value, column),
      fromText: (text) => readCell(text, column),
      inputMode: 'decimal',
    } satisfies TextRules,
  }),
})

/** Values of any type. Also used for column types unknown to the console. */
export const anyCell: CellType = defineCellType({
  isValid: () => true,
  column: (column) => ({
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
