import { useQuery } from '@tanstack/react-query'
import { useId, type ReactNode } from 'react'
import { columnsQuery, type Column } from '../api/resources'
import { CheckField, SelectField } from '../components/field'
import { ErrorNote } from '../components/states'
import { toggle } from '../components/toggle'
import { useDocumentContext } from '../document-context/document-context'
import type { EventType, WebhookFields } from './webhook-queries'
import { eventNames } from './webhook-state'

interface EventFieldsProps {
  readonly fields: WebhookFields
  readonly fault: string | undefined
  readonly onChange: (change: Partial<WebhookFields>) => void
}

const eventTypes: readonly EventType[] = ['add', 'update', 'remove']

/** Which kinds of events are sent. */
export function EventFields({ fields, fault, onChange }: EventFieldsProps): ReactNode {
  return (
    <ChoiceList
      label="Tell of"
      fault={fault}
      options={eventTypes.map((type) => [type, eventNames[type]])}
      chosen={fields.eventTypes}
      onChange={(chosen) => onChange({ eventTypes: chosen as EventType[] })}
    />
  )
}

interface ColumnFieldsProps {
  readonly fields: WebhookFields
  readonly readyFault: string | undefined
  readonly watchedFault: string | undefined
  readonly onChange: (change: Partial<WebhookFields>) => void
}

/** Which rows are sent, and which of their changes. */
export function ColumnFields(props: ColumnFieldsProps): ReactNode {
  const { fields, readyFault, watchedFault, onChange } = props
  const { docId } = useDocumentContext()
  const { tableId, isReadyColumn, watchedColIds } = fields
  const hasTable = tableId !== null && tableId !== ''
  const query = columnsQuery(docId, tableId ?? '')
  const { data: columns = [], error } = useQuery({ ...query, enabled: hasTable })
  // Other columns hold no `true`.
  const ready = columns.filter(
    ({ id, fields: { type } }) => type === 'Bool' || type === 'Any' || id === isReadyColumn,
  )
  return (
    <>
      <ErrorNote error={error} />
      <SelectField
        label="Only rows where this is true"
        hint="A row is sent as added when it becomes ready."
        value={isReadyColumn ?? ''}
        options={[
          ['', 'All rows'],
          ...ready.map((column) => [column.id, titleOf(column)] as const),
        ]}
        error={readyFault}
        onChange={({ target }) => onChange({ isReadyColumn: target.value || null })}
      />
      {fields.eventTypes.includes('update') && (
        <ChoiceList
          label="Only changes of these columns"
          hint="Without any, a change of any column counts."
          fault={watchedFault}
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
  readonly fault: string | undefined
  readonly options: readonly (readonly [string, string])[]
  readonly chosen: readonly string[]
  readonly onChange: (chosen: readonly string[]) => void
}

/** Boxes of which any number can be ticked. */
function ChoiceList(props: ChoiceListProps): ReactNode {
  const { label, hint, fault, options, chosen, onChange } = props
  const id = useId()
  return (
    <fieldset aria-describedby={`${id}-hint ${id}-fault`} tabIndex={-1}>
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
            aria-invalid={fault === undefined ? undefined : true}
            onChange={() => onChange(toggle(chosen, value))}
          />
        ))}
      </div>
      {fault !== undefined && (
        <p id={`${id}-fault`} className="note error" role="alert">
          {fault}
        </p>
      )}
    </fieldset>
  )
}
