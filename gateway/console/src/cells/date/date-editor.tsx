import { useState, type ReactNode } from 'react'
import { dateText, fieldText, readField, readTyped } from '../../formats/date'
import { TextEditor, typedKey, type EditorProps } from '../base/text-editor'
import { useOpening } from '../base/type-ahead'

interface DateRules {
  readonly label: string
  /** The zone whose clocks tell the time; days have none. */
  readonly zone?: string
}

/**
 * Edits a day or an instant in the browser's own field; as text where typing opens it, or where the cell holds what such
 * a field cannot.
 */
export function DateEditor(props: EditorProps<DateRules>): ReactNode {
  const { label, zone, initialValue, eventKey } = props
  const shown = fieldText(initialValue, zone)
  if (shown !== undefined && typedKey(eventKey) === undefined)
    return <DateField {...props} shown={shown} />
  const fromText = (text: string) => readTyped(text, zone)
  return <TextEditor {...props} label={label} toText={dateText} fromText={fromText} />
}

function DateField(props: EditorProps<DateRules & { readonly shown: string }>): ReactNode {
  const { label, zone, shown, initialValue, onValueChange } = props
  const [text, setText] = useState(shown)
  const field = useOpening<HTMLInputElement>(label, false)
  return (
    <input
      ref={field}
      type={zone === undefined ? 'date' : 'datetime-local'}
      className="cell-field"
      aria-label={zone === undefined ? label : `${label} (${zone})`}
      step={zone === undefined ? undefined : 1}
      value={text}
      onChange={({ target }) => {
        setText(target.value)
        // A date that is half entered reads as none.
        const isSame = target.validity.badInput || target.value === shown
        onValueChange(isSame ? initialValue : readField(target.value, zone))
      }}
    />
  )
}
