import { useQuery } from '@tanstack/react-query'
import { useId, type ReactNode } from 'react'
import { type Column, columnsQuery } from '../api/resources'
import { CheckField, SelectField } from '../components/field'
import { ErrorNote } from '../components/states'
import { toggle } from '../components/toggle'
import { useDocumentContext } from '../document-context/document-context'
import type { WebhookFields } from './webhook-queries'
import { describeEvents } from './webhook-state'

interface EventFieldsProps {
  readonly fields: WebhookFields
  readonly error: string | undefined
  readonly onChange: (change: Partial<WebhookFields>) => void
}

/** The types of row events that a webhook can send. */
export const eventTypes: WebhookFields['eventTypes'] = ['add', 'update', 'remove']

/** Selects the event types to send. */
export function EventFields({ fields, error, onChange }: EventFieldsProps): ReactNode {
  return (
    <ChoiceList
      label="Events"
      error={error}
      options={eventTypes.map((type) => [type, describeEvents([type])])}
      chosen={fields.eventTypes}
      onChange={(chosen) =>
        onChange({ eventTypes: eventTypes.filter((type) => chosen.includes(type)) })
      }
    />
  )
}

interface ColumnFieldsProps {
  readonly fields: WebhookFields
  readonly readyError: string | undefined
  readonly watchedError: string | undefined
  readonly onChange: (change: Partial<WebhookFields>) => void
}

/** Selects which rows and which changes are sent. */
export function ColumnFields(props: ColumnFieldsProps): ReactNode {
  const { fields, readyError, watchedError, onChange } = props
  const { docId } = useDocumentContext()
  const { tableId, isReadyColumn, watchedColIds } = fields
  const query = columnsQuery(docId, tableId)
  const { data: columns = [], error } = useQuery({ ...query, enabled: tableId !== '' })
  // Only these types can contain `true`.
  const ready = columns.filter(
    ({ id, fields: { type } }) => type === 'Bool' || type === 'Any' || id === isReadyColumn,
  )
  return (
    <>
      <ErrorNote error={error} />
      <SelectField
        label="Ready column"
        hint="Send only rows where this column is true. A row that becomes ready is sent as added."
        value={isReadyColumn ?? ''}
        options={[
          ['', 'All rows'],
          ...ready.map((column) => [column.id, titleOf(column)] as const),
        ]}
        error={readyError}
        onChange={({ target }) => onChange({ isReadyColumn: target.value || null })}
      />
      {fields.eventTypes.includes('update') && (
        <ChoiceList
          label="Watched columns"
          hint="Send updates only when one of these columns changes. If none is selected, any change is sent."
          error={watchedError}
          options={columns.map((column) => [column.id, titleOf(column)])}
          chosen={watchedColIds}
          onChange={(chosen) => onChange({ watchedColIds: chosen })}
        />
      )}
    </>
  )
}

const titleOf = ({ id, fields: { label } }: Column) =>
  label === '' || label === id ? id : `${label} (${id})`

interface ChoiceListProps {
  readonly label: string
  readonly hint?: string
  readonly error: string | undefined
  readonly options: readonly (readonly [string, string])[]
  readonly chosen: readonly string[]
  readonly onChange: (chosen: readonly string[]) => void
}

/** A group of checkboxes. */
function ChoiceList(props: ChoiceListProps): ReactNode {
  const { label, hint, error, options, chosen, onChange } = props
  const id = useId()
  return (
    <fieldset aria-describedby={`${id}-hint ${id}-error`} tabIndex={-1}>
      <legend>{label}</legend>
      {hint !== undefined && (
        <p id={`${id}-hint`} className="note">
          {hint}
        </p>
      )}
      <div className="choices">
        {options.map(([value, text]) => (
          <CheckField
            key={value}
            label={text}
            checked={chosen.includes(value)}
            aria-invalid={error === undefined ? undefined : true}
            onChange={() => onChange(toggle(chosen, value))}
          />
        ))}
      </div>
      {error !== undefined && (
        <p id={`${id}-error`} className="note error" role="alert">
          {error}
        </p>
      )}
    </fieldset>
  )
}
