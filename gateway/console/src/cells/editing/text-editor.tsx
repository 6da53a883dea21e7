import type { CustomCellEditorProps } from 'ag-grid-react'
import { useEffect, useRef, useState, type KeyboardEvent, type ReactNode } from 'react'
import type { Row } from '../../api/resources'
import { useEditorFocus } from './type-ahead'

type GridEditorProps = CustomCellEditorProps<Row, unknown>

/** Properties of an editor: those from AG Grid, as far as they are used, and those of the cell type. */
export type EditorProps<Own = object> = Pick<
  GridEditorProps,
  'initialValue' | 'value' | 'onValueChange' | 'stopEditing' | 'eventKey'
> &
  // The column of the grid; absent elsewhere.
  Partial<Pick<GridEditorProps, 'column'>> &
  Own

/** Conversion between values and text, and options of the field. */
export interface TextRules {
  /** Accessible name of the field. */
  readonly label: string
  readonly toText: (value: unknown) => string
  /** Parses changed text. */
  readonly fromText: (text: string) => unknown
  /** True if Shift+Enter and Alt+Enter insert a line break. */
  readonly isMultiline?: boolean
  readonly inputMode?: 'decimal'
}

/** Returns the character that opened the editor and replaces the value; empty for Delete and Backspace. */
export function typedKey(eventKey: string | null): string | undefined {
  if (eventKey === 'Backspace' || eventKey === 'Delete') return ''
  return eventKey !== null && [...eventKey].length === 1 ? eventKey : undefined
}

/** Edits a cell as text. An unchanged value is returned as it was. */
export function TextEditor(props: EditorProps<TextRules>): ReactNode {
  const { label, toText, fromText, initialValue, onValueChange, inputMode } = props
  const typed = typedKey(props.eventKey)
  const before = toText(initialValue)
  const [text, setText] = useState(typed ?? before)
  const isOpen = useRef(false)
  useEffect(() => {
    if (!isOpen.current && typed !== undefined) onValueChange(fromText(typed))
    isOpen.current = true
  }, [typed, fromText, onValueChange])
  const field = useEditorFocus<HTMLInputElement & HTMLTextAreaElement>(label, typed !== undefined)
  const change = (next: string) => {
    setText(next)
    onValueChange(next === before ? initialValue : fromText(next))
  }
  const controlProps = {
    ref: field,
    className: 'cell-field',
    'aria-label': label,
    value: text,
    onChange: ({ target }: { target: { value: string } }) => change(target.value),
  }
  if (props.isMultiline !== true)
    return <input type="text" autoComplete="off" inputMode={inputMode} {...controlProps} />
  return (
    <textarea
      {...controlProps}
      rows={1}
      style={{ width: props.column?.getActualWidth() }}
      onKeyDownCapture={(event) => breakLine(event, change)}
    />
  )
}

/** Handles Enter keys that insert a line break, before the grid does. */
function breakLine(
  event: KeyboardEvent<HTMLTextAreaElement>,
  change: (text: string) => void,
): void {
  if (event.key !== 'Enter' || !(event.shiftKey || event.altKey)) return
  event.stopPropagation()
  if (event.shiftKey) return
  event.preventDefault()
  const { currentTarget: field } = event
  field.setRangeText('\n', field.selectionStart, field.selectionEnd, 'end')
  change(field.value)
}
