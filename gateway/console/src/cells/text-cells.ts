import { columnName } from '../formats/column'
import { anyText, readAny } from '../formats/any-value'
import { readCell } from '../formats/cell-text'
import { editedText } from '../formats/number'
import { formatValue } from '../formats/value'
import { widgetOptions } from '../formats/widget-options'
import { defineCellType, popup, type CellType } from './editing/cell-type'
import { TextEditor, type TextRules } from './editing/text-editor'
import { bufferKeys, leaveByTab } from './editing/type-ahead'
import { LinkCell, MarkdownCell, openLink } from './text-views'

/** How texts are shown, by the option of the column. */
const textViews = new Map<unknown, typeof LinkCell>([
  ['HyperLink', LinkCell],
  ['Markdown', MarkdownCell],
])

/** Text of any number of lines, with a link or Markdown if the column says so. */
export const textCell: CellType = defineCellType({
  isValid: (value) => typeof value === 'string',
  column: (column) => {
    const view = textViews.get(widgetOptions(column).widget)
    return {
      cellEditor: TextEditor,
      ...popup('over'),
      ...(view && { cellRenderer: view }),
      ...(view === LinkCell && {
        suppressKeyboardEvent: (params) =>
          openLink(params, column.id) || bufferKeys(params) || leaveByTab(params),
      }),
      cellEditorParams: {
        label: columnName(column),
        toText: formatValue,
        fromText: (text) => text,
        isMultiline: true,
      } satisfies TextRules,
    }
  },
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
      toText: (value) =>
        typeof value === 'number' ? editedText(value, widgetOptions(column)) : formatValue(value),
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
