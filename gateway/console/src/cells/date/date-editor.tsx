import { useState, type ReactNode } from 'react'
import { dateText, fieldText, lastDates, readField } from '../../formats/date'
import { TextEditor, typedKey, type EditorProps } from '../editing/text-editor'
import { useEditorFocus } from '../editing/type-ahead'

/** Properties of cells with dates. */
export interface DateRules {
  readonly label: string
  /** Time zone; undefined for dates without a time. */
  readonly zone?: string
  /** Parses a text that was typed. */
  readonly read: (text: string) => unknown
}

/**
 * Edits a date or date and time in a native field. Falls back to a text field if typing opened the editor, or
 * if a native field cannot hold the value.
 */
export function DateEditor(props: EditorProps<DateRules>): ReactNode {
  const { label, zone, read, initialValue, eventKey } = props
  const shown = fieldText(initialValue, zone)
  if (shown !== undefined && typedKey(eventKey) === undefined)
    return <DateField {...props} shown={shown} />
  return <TextEditor {...props} label={label} toText={dateText} fromText={read} />
}

function DateField(props: EditorProps<DateRules & { readonly shown: string }>): ReactNode {
  const { label, zone, shown, initialValue, onValueChange } = props
  const [text, setText] = useState(shown)
  const field = useEditorFocus<HTMLInputElement>(label, false)
  const type = zone === undefined ? 'date' : 'datetime-local'
  return (
    <input
      ref={field}
      type={type}
      max={lastDates[type]}
      className="cell-field"
      aria-label={zone === undefined ? label : `${label} (${zone})`}
      step={zone === undefined ? undefined : 1}
      value={text}
      onChange={({ target }) => {
        setText(target.value)
        // An incomplete date reads as empty.
        const isSame = target.validity.badInput || target.value === shown
        onValueChange(isSame ? initialValue : readField(target.value, zone))
      }}
    />
  )
}
