import { createIdempotencyKey } from '@sheaf/client'
import { useEffect, useRef, useState, type ReactNode, type SyntheticEvent } from 'react'
import { Button } from '../components/button'
import { readAnswers, type Entries, type ShownForm } from '../form/answers'
import { FormDescription, FormFields, submitText, useFormEntries } from '../form/form-fields'
import { refusedField, sendFault, sendForm, type Sending } from './form-api'

interface FillFormProps {
  readonly formKey: string
  readonly form: ShownForm
  /** Answers with which it begins. */
  readonly prefilled: Entries
  /** True when it is filled in once more: the focus begins at its heading. */
  readonly isAgain: boolean
  readonly onSent: () => void
}

/** A form to fill in. */
export function FillForm({ formKey, form, prefilled, isAgain, onSent }: FillFormProps): ReactNode {
  const { entries, enter, isChanged } = useFormEntries(prefilled)
  const { faults, message, isBusy, send, shown } = useSending(formKey, form, onSent)
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    if (isAgain) heading.current?.focus()
  }, [isAgain])
  useUnsent(isChanged)
  const handleSubmit = (event: SyntheticEvent) => {
    event.preventDefault()
    if (!isBusy) void send(entries)
  }
  return (
    <>
      <h1 ref={heading} tabIndex={-1}>
        {form.title}
      </h1>
      <FormDescription text={form.description} />
      <form ref={shown} className="form" noValidate onSubmit={handleSubmit}>
        <FormFields form={form} faults={faults} entries={entries} enter={enter} />
        {form.fields.length === 0 && <p>This form has no questions yet.</p>}
        <p className="note error" role="alert">
          {message}
        </p>
        <Button type="submit" kind="primary" isBusy={isBusy} disabled={form.fields.length === 0}>
          {isBusy ? 'Sending…' : submitText(form)}
        </Button>
      </form>
      <p className="note form-caution">
        Your answers go to the people who made this form. Do not enter passwords.
      </p>
    </>
  )
}

type Faults = Readonly<Record<string, string>>

/** Sends a form, and moves the focus to the first answer that is wrong. */
function useSending(formKey: string, form: ShownForm, onSent: () => void) {
  const [faults, setFaults] = useState<Faults>({})
  const [message, setMessage] = useState('')
  const [isBusy, setBusy] = useState(false)
  const shown = useRef<HTMLFormElement>(null)
  /** What was sent last: the same is sent with the same key, so that it adds one row. */
  const last = useRef<Sending>(undefined)
  useEffect(() => {
    const first = form.fields.find(({ id }) => faults[id] !== undefined)
    if (first) focusOn(shown.current, first.id)
  }, [faults, form])
  const refuse = (found: Faults) => {
    const count = Object.keys(found).length
    setMessage(
      count === 1 ? 'One answer needs a correction.' : `${count} answers need a correction.`,
    )
    setFaults(found)
  }
  const send = async (entries: Parameters<typeof readAnswers>[1]) => {
    const { values: fields, faults: found } = readAnswers(form.fields, entries)
    if (Object.keys(found).length > 0) return refuse(found)
    setFaults({})
    setMessage('')
    setBusy(true)
    const isSame = JSON.stringify(last.current?.fields) === JSON.stringify(fields)
    last.current =
      isSame && last.current ? last.current : { fields, idempotencyKey: createIdempotencyKey() }
    try {
      await sendForm(formKey, last.current)
      onSent()
    } catch (error) {
      const field = refusedField(error)
      if (form.fields.some(({ id }) => id === field))
        refuse({ [field ?? '']: 'This answer was not accepted. Check it and try again.' })
      else setMessage(sendFault(error))
    } finally {
      setBusy(false)
    }
  }
  return { faults, message, isBusy, send, shown }
}

function focusOn(form: HTMLFormElement | null, id: string): void {
  const question = [...(form?.querySelectorAll<HTMLElement>('[data-question]') ?? [])].find(
    ({ dataset }) => dataset.question === id,
  )
  question?.querySelector<HTMLElement>('input, select, textarea')?.focus()
}

/** Asks before the page is left while there are answers that were entered and not sent. */
function useUnsent(isChanged: boolean): void {
  useEffect(() => {
    if (!isChanged) return
    const ask = (event: BeforeUnloadEvent) => event.preventDefault()
    window.addEventListener('beforeunload', ask)
    return () => window.removeEventListener('beforeunload', ask)
  }, [isChanged])
}
