import { useState, type ReactNode } from 'react'
import { columnName } from '../../formats/column'
import type { Column } from '../../api/resources'
import { choicesOf } from '../../formats/widget-options'
import { FormDialog } from '../../components/dialog'
import { CheckField, Field, SelectField, TextField } from '../../components/field'
import {
  valueFamily,
  fromOperators,
  conditionKinds,
  toOperators,
  valueCount,
  conditionLabel,
  type Condition,
  type ConditionKind,
} from './conditions'

interface FilterDialogProps {
  readonly column: Column
  /** What is asked of the column now; undefined for nothing. */
  readonly asked: unknown
  readonly onAsk: (asked: unknown) => void
  readonly onClose: () => void
}

/** An address that is longer may be refused on its way. */
const MAX_CHARACTERS = 4_000

/** Asks which rows to show, by one column. */
export function FilterDialog({ column, asked, onAsk, onClose }: FilterDialogProps): ReactNode {
  const kinds = conditionKinds(column)
  const known = fromOperators(asked, column)
  const [condition, setCondition] = useState<Condition>(
    known ?? { kind: kinds[0] ?? 'in', values: [] },
  )
  const label = columnName(column)
  const submit = async () => {
    const entered = condition.values.filter((value) => value !== '')
    const wanted = toOperators({ ...condition, values: entered }, column)
    if (encodeURIComponent(JSON.stringify(wanted)).length > MAX_CHARACTERS)
      throw new Error('These are too many values; ask for fewer.')
    onAsk(wanted)
  }
  return (
    <FormDialog title={`Filter by ${label}`} submit="Filter" onClose={onClose} onSubmit={submit}>
      <SelectField
        label={`Rows where ${label}`}
        value={condition.kind}
        options={kinds.map((kind) => [kind, conditionLabel(kind, column)] as const)}
        onChange={({ target }) =>
          setCondition({ kind: target.value as ConditionKind, values: condition.values })
        }
      />
      <Values column={column} condition={condition} onChange={setCondition} />
      {asked !== undefined && !known && (
        <p className="note">Now: {JSON.stringify(asked)}, which cannot be entered here.</p>
      )}
    </FormDialog>
  )
}

interface ValuesProps {
  readonly column: Column
  readonly condition: Condition
  readonly onChange: (condition: Condition) => void
}

function Values({ column, condition, onChange }: ValuesProps): ReactNode {
  const { kind, values } = condition
  const count = valueCount(kind)
  const choices = offeredBy(column)
  if (count === 'none') return null
  if (count === 'many' && choices)
    return <ChoiceValues condition={condition} choices={choices} onChange={onChange} />
  if (count === 'many')
    return (
      <Field label="Values" hint={`One on each line${hintOf(column)}.`}>
        {(control) => (
          <textarea
            {...control}
            value={values.join('\n')}
            onChange={({ target }) => onChange({ kind, values: target.value.split('\n') })}
          />
        )}
      </Field>
    )
  const enter = (place: number, value: string) => {
    const next = count === 'two' ? [values[0] ?? '', values[1] ?? ''] : ['']
    next[place] = value
    onChange({ kind, values: next })
  }
  const { type, hint } = inputOf(column)
  return (
    <>
      {(count === 'two' ? ['From', 'To'] : ['Value']).map((label, place) => (
        <TextField
          key={label}
          label={label}
          hint={hint}
          type={type}
          required
          value={values[place] ?? ''}
          onChange={({ target }) => enter(place, target.value)}
        />
      ))}
    </>
  )
}

function ChoiceValues(props: {
  readonly condition: Condition
  readonly choices: readonly (readonly [value: string, label: string])[]
  readonly onChange: (condition: Condition) => void
}): ReactNode {
  const { condition, choices, onChange } = props
  const { kind, values } = condition
  return (
    <fieldset>
      <legend>Values</legend>
      {choices.map(([value, label]) => (
        <CheckField
          key={value}
          label={label}
          checked={values.includes(value)}
          onChange={({ target }) => {
            const others = values.filter((other) => other !== value)
            onChange({ kind, values: target.checked ? [...others, value] : others })
          }}
        />
      ))}
    </fieldset>
  )
}

/** The values that a column offers, where it does. */
function offeredBy(column: Column): readonly (readonly [string, string])[] | undefined {
  if (valueFamily(column) === 'bool')
    return [
      ['true', 'Yes'],
      ['false', 'No'],
    ]
  const choices = column.fields.type.startsWith('Choice') ? choicesOf(column) : []
  return choices.length === 0 ? undefined : choices.map((one) => [one, one] as const)
}

function hintOf(column: Column): string {
  const family = valueFamily(column)
  if (family === 'date') return ', as 2026-01-31'
  return family === 'time' ? ', as 2026-01-31 14:30' : ''
}

function inputOf(column: Column): { readonly type: string; readonly hint?: string } {
  switch (valueFamily(column)) {
    case 'date':
      return { type: 'date' }
    case 'time':
      return { type: 'text', hint: 'As 2026-01-31 14:30, in the time zone of the column.' }
    default:
      return { type: 'text' }
  }
}
