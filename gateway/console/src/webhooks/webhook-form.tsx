import { SheafError } from '@sheaf/client'
import { useEffect, useRef, useState, type ReactNode } from 'react'
import { Link } from 'react-router'
import { Button } from '../components/button'
import { CheckField, Field, SelectField, TextField } from '../components/field'
import { useLeaveQuestion } from '../components/overlays/use-leave-question'
import { Section } from '../components/page'
import { ErrorNote } from '../components/states'
import { useSubmit } from '../components/use-submit'
import { useDocumentContext } from '../document-context/document-context'
import { ColumnFields, EventFields } from './webhook-form-parts'
import type { WebhookFields } from './webhook-queries'

interface WebhookFormProps {
  readonly title: string
  readonly submit: string
  readonly initial: WebhookFields
  /** Path of the Cancel link. */
  readonly back: string
  /** Saves the webhook, given all fields and the changed ones. Errors are shown at their fields. */
  readonly onSubmit: (fields: WebhookFields, changed: Partial<WebhookFields>) => Promise<unknown>
}

/** Returns the error message for a field. */
type ErrorOf = (field: keyof WebhookFields) => string | undefined

/** The settings of a webhook. */
export function WebhookForm(props: WebhookFormProps): ReactNode {
  const { title, submit, back, onSubmit } = props
  // Refetched data must not overwrite the input.
  const [initial] = useState(props.initial)
  const [fields, setFields] = useState(initial)
  const changed = changedFields(initial, fields)
  const { error, isBusy, handleSubmit } = useSubmit(
    () => onSubmit(fields, changed),
    // Saving leads to another page.
    () => undefined,
  )
  const leaving = useLeaveQuestion({
    isPresent: Object.keys(changed).length > 0,
    name: 'the webhook',
    discard: () => setFields(initial),
  })
  const form = useRef<HTMLFormElement>(null)
  useEffect(() => {
    if (error) form.current?.querySelector<HTMLElement>('[aria-invalid]')?.focus()
  }, [error])
  const set = (change: Partial<WebhookFields>) => setFields((before) => ({ ...before, ...change }))
  const invalidField = error instanceof SheafError ? error.details.field : undefined
  const errorOf: ErrorOf = (field) =>
    invalidField === field ? (error as SheafError).message : undefined
  return (
    <Section title={title}>
      <form ref={form} className="webhook-form" onSubmit={handleSubmit}>
        <TargetFields fields={fields} errorOf={errorOf} onChange={set} />
        <EventFields fields={fields} error={errorOf('eventTypes')} onChange={set} />
        <ColumnFields
          fields={fields}
          readyError={errorOf('isReadyColumn')}
          watchedError={errorOf('watchedColIds')}
          onChange={set}
        />
        <OtherFields fields={fields} errorOf={errorOf} onChange={set} />
        <ErrorNote error={isShownAtField(invalidField) ? undefined : error} />
        <footer className="dialog-foot">
          <Link className="button" to={back}>
            Cancel
          </Link>
          <Button type="submit" kind="primary" isBusy={isBusy}>
            {submit}
          </Button>
        </footer>
      </form>
      {leaving}
    </Section>
  )
}

interface PartProps {
  readonly fields: WebhookFields
  readonly errorOf: ErrorOf
  readonly onChange: (change: Partial<WebhookFields>) => void
}

function TargetFields({ fields, errorOf, onChange }: PartProps): ReactNode {
  const { tables } = useDocumentContext()
  const options = tables.map(({ id }) => [id, id] as const)
  return (
    <>
      <TextField
        label="Name"
        hint="Defaults to the host name."
        value={fields.name}
        error={errorOf('name')}
        onChange={({ target }) => onChange({ name: target.value })}
      />
      <TextField
        label="URL"
        hint="Receiver of the events: an https URL with a public host."
        inputMode="url"
        value={fields.url}
        required
        spellCheck={false}
        error={errorOf('url')}
        onChange={({ target }) => onChange({ url: target.value })}
      />
      <SelectField
        label="Table"
        value={fields.tableId}
        options={fields.tableId === '' ? [['', 'Select a table'], ...options] : options}
        required
        error={errorOf('tableId')}
        onChange={({ target }) =>
          onChange({ tableId: target.value, isReadyColumn: null, watchedColIds: [] })
        }
      />
    </>
  )
}

function OtherFields({ fields, errorOf, onChange }: PartProps): ReactNode {
  return (
    <>
      <TextField
        label="Authorization"
        hint="Value of the Authorization header of deliveries. Visible to all owners of the document."
        value={fields.authorization}
        spellCheck={false}
        error={errorOf('authorization')}
        onChange={({ target }) => onChange({ authorization: target.value })}
      />
      <Field label="Memo" hint="Optional notes." error={errorOf('memo')}>
        {(control) => (
          <textarea
            {...control}
            className="memo"
            value={fields.memo}
            rows={3}
            onChange={({ target }) => onChange({ memo: target.value })}
          />
        )}
      </Field>
      <CheckField
        label="Enabled"
        checked={fields.enabled}
        onChange={({ target }) => onChange({ enabled: target.checked })}
      />
    </>
  )
}

const shownFields: readonly unknown[] = [
  'name',
  'url',
  'tableId',
  'eventTypes',
  'isReadyColumn',
  'watchedColIds',
  'memo',
  'authorization',
] satisfies (keyof WebhookFields)[]

const isShownAtField = (invalidField: unknown) => shownFields.includes(invalidField)

/** Returns the changed fields. Unchanged ones must not be sent: `enabled` restarts a stopped webhook. */
function changedFields(before: WebhookFields, after: WebhookFields): Partial<WebhookFields> {
  const names = Object.keys(after) as (keyof WebhookFields)[]
  const changed = names.filter(
    (name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]),
  )
  return Object.fromEntries(changed.map((name) => [name, after[name]]))
}
