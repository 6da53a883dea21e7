import type { ReactNode } from 'react'
import { CheckField, Field, TextField } from '../components/field'
import { sentText, submitText } from '../form/form-fields'
import { lengths, type FormDraft } from '../form/form-settings'

interface FormTextsProps {
  readonly draft: FormDraft
  readonly onDraft: (draft: FormDraft) => void
}

/** Heading and introduction of a form. `name` is that of its view. */
export function IntroductionFields({
  draft,
  onDraft,
  name,
}: FormTextsProps & { readonly name: string }): ReactNode {
  return (
    <>
      <TextField
        label="Title"
        value={draft.title}
        placeholder={name}
        maxLength={lengths.title}
        onChange={({ target }) => onDraft({ ...draft, title: target.value })}
      />
      <Field label="Introduction">
        {(control) => (
          <textarea
            {...control}
            rows={3}
            value={draft.description}
            maxLength={lengths.description}
            onChange={({ target }) => onDraft({ ...draft, description: target.value })}
          />
        )}
      </Field>
    </>
  )
}

/** The button of a form, and what happens once it was sent. */
export function SendingFields({ draft, onDraft }: FormTextsProps): ReactNode {
  return (
    <>
      <TextField
        label="Text of the button"
        value={draft.submit}
        placeholder={submitText({ submit: '' })}
        maxLength={lengths.submit}
        onChange={({ target }) => onDraft({ ...draft, submit: target.value })}
      />
      <Field label="Message after sending">
        {(control) => (
          <textarea
            {...control}
            rows={2}
            value={draft.message}
            placeholder={sentText({ message: '' })}
            maxLength={lengths.message}
            onChange={({ target }) => onDraft({ ...draft, message: target.value })}
          />
        )}
      </Field>
      <CheckField
        label="Offer to send another answer"
        checked={draft.again}
        onChange={({ target }) => onDraft({ ...draft, again: target.checked })}
      />
    </>
  )
}
