import { useState, type ReactNode } from 'react'
import type { Entries, Entry, ShownForm } from './answers'
import { QuestionField } from './question-field'

/** What was entered in a form. */
export interface FormEntries {
  readonly entries: Entries
  readonly enter: (id: string, entry: Entry) => void
  /** Whether something was entered since the beginning. */
  readonly isChanged: boolean
  readonly clear: () => void
}

/** The entries of a form; empty at first unless it begins with others. */
export function useFormEntries(given: Entries = {}): FormEntries {
  const [first] = useState(given)
  const [entries, setEntries] = useState(first)
  return {
    entries,
    isChanged: entries !== first,
    enter: (id, entry) => setEntries((before) => ({ ...before, [id]: entry })),
    clear: () => setEntries(first),
  }
}

interface FormFieldsProps extends Pick<FormEntries, 'entries' | 'enter'> {
  readonly form: ShownForm
  readonly faults: Readonly<Record<string, string>>
}

/** The questions of a form. */
export function FormFields({ form, faults, entries, enter }: FormFieldsProps): ReactNode {
  return form.fields.map((question) => (
    <QuestionField
      key={question.id}
      question={question}
      entry={entries[question.id]}
      fault={faults[question.id]}
      onEntry={(entry) => enter(question.id, entry)}
    />
  ))
}

/** The introduction of a form; its line breaks stay. */
export function FormDescription({ text }: { readonly text: string }): ReactNode {
  return text === '' ? null : <p className="form-description">{text}</p>
}

/** The text of the button that sends a form. */
export const submitText = ({ submit }: Pick<ShownForm, 'submit'>): string => submit || 'Send'

/** What is shown once a form was sent. */
export const sentText = ({ message }: Pick<ShownForm, 'message'>): string =>
  message || 'Thank you. Your answers have been sent.'
