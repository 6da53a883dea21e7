import type { CustomCellEditorProps } from 'ag-grid-react'
import { useEffect, useRef, useState, type KeyboardEvent, type ReactNode } from 'react'
import type { Row } from '../../api/resources'
import { useOpening } from './type-ahead'

/** What the grid gives an editor, and what its kind of cell does. */
export type EditorProps<Own = object> = CustomCellEditorProps<Row, unknown> & Own

/** How a kind of cell is edited as text. */
export interface TextRules {
  /** Name of the field, for those who hear it. */
  readonly label: string
  readonly toText: (value: unknown) => string
  /** The value that a text means which was changed. */
  readonly fromText: (text: string) => unknown
  /** True where Shift+Enter and Alt+Enter begin another line. */
  readonly isMultiline?: boolean
  readonly inputMode?: 'decimal'
}

/** The character by which an editor was opened: it takes the context of what was there. */
export function typedKey(eventKey: string | null): string | undefined {
  if (eventKey === 'Backspace' || eventKey === 'Delete') return ''
  return eventKey !== null && [...eventKey].length === 1 ? eventKey : undefined
}

/** Edits a cell as text; what is not changed is handed over as it was. */
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
  const field = useOpening<HTMLInputElement & HTMLTextAreaElement>(label, typed !== undefined)
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
      style={{ width: props.column.getActualWidth() }}
      onKeyDownCapture={(event) => breakLine(event, change)}
    />
  )
}

/** Keeps the grid from taking an Enter that begins another line. */
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
