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
  /** The current filter of the column; undefined if there is none. */
  readonly filter: unknown
  readonly onFilter: (filter: unknown) => void
  readonly onClose: () => void
}

/** Longer filters could exceed the URL length that proxies accept. */
const MAX_CHARACTERS = 4_000

/** Edits the filter of a column. */
export function FilterDialog({ column, filter, onFilter, onClose }: FilterDialogProps): ReactNode {
  const kinds = conditionKinds(column)
  const known = fromOperators(filter, column)
  const [condition, setCondition] = useState<Condition>(
    known ?? { kind: kinds[0] ?? 'in', values: [] },
  )
  const label = columnName(column)
  const submit = async () => {
    const entered = condition.values.filter((value) => value !== '')
    const operators = toOperators({ ...condition, values: entered }, column)
    if (encodeURIComponent(JSON.stringify(operators)).length > MAX_CHARACTERS)
      throw new Error('Too many values. Enter fewer.')
    onFilter(operators)
  }
  return (
    <FormDialog title={`Filter by ${label}`} submit="Filter" onClose={onClose} onSubmit={submit}>
      <SelectField
        label={`Show rows where ${label}`}
        value={condition.kind}
        options={kinds.map((kind) => [kind, conditionLabel(kind, column)] as const)}
        onChange={({ target }) =>
          setCondition({ kind: target.value as ConditionKind, values: condition.values })
        }
      />
      <Values column={column} condition={condition} onChange={setCondition} />
      {filter !== undefined && !known && (
        <p className="note">
          Current filter: {JSON.stringify(filter)}. It cannot be edited in this form.
        </p>
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
  const choices = fixedValues(column)
  if (count === 'none') return null
  if (count === 'many' && choices)
    return <ChoiceValues condition={condition} choices={choices} onChange={onChange} />
  if (count === 'many')
    return (
      <Field label="Values" hint={`One per line${hintOf(column)}.`}>
        {(control) => (
          <textarea
            {...control}
            value={values.join('\n')}
            onChange={({ target }) => onChange({ kind, values: target.value.split('\n') })}
          />
        )}
      </Field>
    )
  const enter = (index: number, value: string) => {
    const next = count === 'two' ? [values[0] ?? '', values[1] ?? ''] : ['']
    next[index] = value
    onChange({ kind, values: next })
  }
  const { type, hint } = inputOf(column)
  return (
    <>
      {(count === 'two' ? ['From', 'To'] : ['Value']).map((label, index) => (
        <TextField
          key={label}
          label={label}
          hint={hint}
          type={type}
          required
          value={values[index] ?? ''}
          onChange={({ target }) => enter(index, target.value)}
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

/** Returns the values to choose from, if the column has a fixed set. */
function fixedValues(column: Column): readonly (readonly [string, string])[] | undefined {
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
  if (family === 'date') return ', for example 2026-01-31'
  return family === 'time' ? ', for example 2026-01-31 14:30' : ''
}

function inputOf(column: Column): { readonly type: string; readonly hint?: string } {
  switch (valueFamily(column)) {
    case 'date':
      return { type: 'date' }
    case 'time':
      return { type: 'text', hint: 'For example 2026-01-31 14:30, in the time zone of the column.' }
    default:
      return { type: 'text' }
  }
}
