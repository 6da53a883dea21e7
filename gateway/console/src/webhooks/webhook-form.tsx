import { useEffect, useRef, useState, type ReactNode, type SyntheticEvent } from 'react'
import { Link } from 'react-router'
import { ApiError } from '../api/client'
import { Button } from '../components/button'
import { CheckField, Field, SelectField, TextField } from '../components/field'
import { Section } from '../components/page'
import { ErrorNote } from '../components/states'
import { useDocumentContext } from '../document-context/document-context'
import { ColumnFields, EventFields } from './webhook-form-parts'
import type { WebhookFields } from './webhook-queries'

interface WebhookFormProps {
  readonly title: string
  readonly submit: string
  readonly initial: WebhookFields
  /** Where it goes without saving. */
  readonly back: string
  /** Saves it, given all fields and those that are not as they were. Its refusals are shown at their fields. */
  readonly onSubmit: (fields: WebhookFields, changed: Partial<WebhookFields>) => Promise<unknown>
}

/** What a refusal says of one of the fields. */
type FaultOf = (field: keyof WebhookFields) => string | undefined

/** All that an owner sets of a webhook. */
export function WebhookForm(props: WebhookFormProps): ReactNode {
  const { title, submit, back, onSubmit } = props
  // What others change meanwhile does not take away what is being entered.
  const [initial] = useState(props.initial)
  const [fields, setFields] = useState(initial)
  const [error, setError] = useState<unknown>()
  const [isBusy, setBusy] = useState(false)
  const form = useRef<HTMLFormElement>(null)
  useEffect(() => {
    if (error) form.current?.querySelector<HTMLElement>('[aria-invalid]')?.focus()
  }, [error])
  const set = (change: Partial<WebhookFields>) => setFields((before) => ({ ...before, ...change }))
  const save = async (event: SyntheticEvent) => {
    event.preventDefault()
    if (isBusy) return
    setBusy(true)
    setError(undefined)
    try {
      await onSubmit(fields, changedFields(initial, fields))
    } catch (thrown) {
      setError(thrown)
      setBusy(false)
    }
  }
  const refused = error instanceof ApiError ? error.details.field : undefined
  const faultOf: FaultOf = (field) => (refused === field ? (error as ApiError).message : undefined)
  return (
    <Section title={title}>
      <form ref={form} className="webhook-form" onSubmit={(event) => void save(event)}>
        <TargetFields fields={fields} faultOf={faultOf} onChange={set} />
        <EventFields fields={fields} fault={faultOf('eventTypes')} onChange={set} />
        <ColumnFields
          fields={fields}
          readyFault={faultOf('isReadyColumn')}
          watchedFault={faultOf('watchedColIds')}
          onChange={set}
        />
        <OtherFields fields={fields} faultOf={faultOf} onChange={set} />
        <ErrorNote error={isShownAtField(refused) ? undefined : error} />
        <footer className="dialog-foot">
          <Link className="button" to={back}>
            Cancel
          </Link>
          <Button type="submit" kind="primary" isBusy={isBusy}>
            {submit}
          </Button>
        </footer>
      </form>
    </Section>
  )
}

interface PartProps {
  readonly fields: WebhookFields
  readonly faultOf: FaultOf
  readonly onChange: (change: Partial<WebhookFields>) => void
}

function TargetFields({ fields, faultOf, onChange }: PartProps): ReactNode {
  const { tables } = useDocumentContext()
  const options = tables.map(({ id }) => [id, id] as const)
  return (
    <>
      <TextField
        label="Name"
        hint="For people; empty for the name of the host."
        value={fields.name}
        error={faultOf('name')}
        onChange={({ target }) => onChange({ name: target.value })}
      />
      <TextField
        label="Address"
        hint="Where changes are posted: https, and a host of the public internet."
        inputMode="url"
        value={fields.url}
        required
        spellCheck={false}
        error={faultOf('url')}
        onChange={({ target }) => onChange({ url: target.value })}
      />
      <SelectField
        label="Table"
        value={fields.tableId ?? ''}
        options={fields.tableId === null ? [['', 'Choose a table'], ...options] : options}
        required
        error={faultOf('tableId')}
        onChange={({ target }) =>
          onChange({ tableId: target.value, isReadyColumn: null, watchedColIds: [] })
        }
      />
    </>
  )
}

function OtherFields({ fields, faultOf, onChange }: PartProps): ReactNode {
  return (
    <>
      <TextField
        label="Authorization"
        hint="Value of the header Authorization that goes with each delivery; empty for none. All owners of the document can read it."
        value={fields.authorization}
        spellCheck={false}
        error={faultOf('authorization')}
        onChange={({ target }) => onChange({ authorization: target.value })}
      />
      <Field label="Memo" hint="For people." error={faultOf('memo')}>
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
        label="Enabled: it takes and sends what happens from now on"
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

const isShownAtField = (refused: unknown) => shownFields.includes(refused)

/** What is not as it was: to name a field is to act, and `enabled` sets a webhook going that was stopped. */
function changedFields(before: WebhookFields, after: WebhookFields): Partial<WebhookFields> {
  const names = Object.keys(after) as (keyof WebhookFields)[]
  const changed = names.filter(
    (name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]),
  )
  return Object.fromEntries(changed.map((name) => [name, after[name]]))
}
