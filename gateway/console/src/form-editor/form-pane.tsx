import type { View } from '@sheaf/client'
import type { ReactNode } from 'react'
import { Section } from '../components/page'
import { FormLink } from './form-link'
import { IntroductionFields, SendingFields } from './form-texts'
import { QuestionCards, type EditedForm } from './question-cards'

/** The link and the settings of a form. */
export function FormPane({ view, ...form }: EditedForm & { readonly view: View }): ReactNode {
  const { draft, onDraft } = form
  return (
    <div className="form-settings">
      <FormLink viewId={view.id} />
      <Section title="Introduction">
        <IntroductionFields draft={draft} onDraft={onDraft} name={view.fields.name} />
      </Section>
      <Section title="Questions">
        <QuestionCards {...form} />
      </Section>
      <Section title="Sending">
        <SendingFields draft={draft} onDraft={onDraft} />
      </Section>
    </div>
  )
}
