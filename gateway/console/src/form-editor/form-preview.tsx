import type { ReactNode } from 'react'
import { Button } from '../components/button'
import type { ShownForm } from '../form/answers'
import { FormDescription, FormFields, submitText, useFormEntries } from '../form/form-fields'

const noFaults = {}

/** A form as people see it. What is entered here goes nowhere. */
export function FormPreview({ form }: { readonly form: ShownForm }): ReactNode {
  const { entries, enter } = useFormEntries()
  return (
    <section className="form-preview" aria-label="Preview">
      <p className="note">Preview. What you enter here is not sent.</p>
      <h2>{form.title}</h2>
      <FormDescription text={form.description} />
      <div className="form">
        <FormFields form={form} faults={noFaults} entries={entries} enter={enter} />
        <Button kind="primary" aria-disabled>
          {submitText(form)}
        </Button>
      </div>
    </section>
  )
}
