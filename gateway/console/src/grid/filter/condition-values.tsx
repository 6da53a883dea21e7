import { useState, type ReactNode } from 'react'
import type { Column } from '../../api/resources'
import type { CellContext } from '../../cells/editing/cell-type'
import { Button } from '../../components/button'
import { columnName } from '../../formats/column'
import { lastDates } from '../../formats/date'
import type { Filter } from '../view/grid-view'
import { valueCount, type Condition } from './conditions'
import { entryOf, type Entry } from './condition-text'
import { useValueLabels } from './value-labels'
import { ValueList } from './value-list'

interface ConditionValuesProps {
  readonly column: Column
  readonly context: CellContext
  readonly condition: Condition
  /** The filter of the rows whose values are offered. */
  readonly rest: Filter
  readonly onChange: (values: readonly unknown[]) => void
}

/** The values of a condition. */
export function ConditionValues(props: ConditionValuesProps): ReactNode {
  const { column, condition, onChange } = props
  const { kind, values } = condition
  const entry = entryOf(kind, column)
  const name = columnName(column)
  switch (valueCount(kind)) {
    case 'none':
      return null
    case 'many':
      return <ChosenValues {...props} />
    case 'one':
      return (
        <ValueField
          key={entry.type}
          label={`Value of ${name}`}
          entry={entry}
          value={values[0]}
          onChange={(value) => onChange(value === undefined ? [] : [value])}
        />
      )
    case 'two':
      return <RangeFields key={entry.type} entry={entry} {...props} />
  }
}

/** Half a range is kept here, since a condition has both ends or none. */
function RangeFields(props: ConditionValuesProps & { readonly entry: Entry }): ReactNode {
  const { entry, column, condition, onChange } = props
  const [ends, setEnds] = useState<readonly unknown[]>(condition.values)
  const change = (next: readonly unknown[]) => {
    setEnds(next)
    const isWhole = next[0] !== undefined && next[1] !== undefined
    onChange(isWhole ? next : [])
  }
  const name = columnName(column)
  return (
    <div className="filter-range">
      <ValueField
        label={`${name} from`}
        entry={entry}
        value={ends[0]}
        onChange={(from) => change([from, ends[1]])}
      />
      <span>and</span>
      <ValueField
        label={`${name} to`}
        entry={entry}
        value={ends[1]}
        onChange={(to) => change([ends[0], to])}
      />
    </div>
  )
}

/** What a text that is not a value should be. All other texts are values. */
const typeNouns: Readonly<Record<Entry['type'], string>> = {
  text: 'a number',
  date: 'a date',
  'datetime-local': 'a date and time',
}

interface ValueFieldProps {
  readonly label: string
  readonly entry: Entry
  readonly value: unknown
  /** Called with undefined for text that is not a value. */
  readonly onChange: (value: unknown) => void
}

function ValueField({ label, entry, value, onChange }: ValueFieldProps): ReactNode {
  const { type, isNumber, show, read } = entry
  // Text that is not a value yet, such as a sign or a separator at the end, stays as it was typed.
  const [typed, setTyped] = useState<{ text: string; value: unknown }>()
  const isTyped = typed !== undefined && typed.value === value
  const text = isTyped ? typed.text : show(value)
  const isInvalid = isTyped && typed.text !== '' && value === undefined
  return (
    <span className="filter-field">
      <input
        type={type}
        max={type === 'text' ? undefined : lastDates[type]}
        inputMode={isNumber ? 'decimal' : undefined}
        autoComplete="off"
        aria-label={label}
        aria-invalid={isInvalid || undefined}
        value={text}
        onChange={({ target }) => {
          const next = target.value === '' ? undefined : read(target.value)
          setTyped({ text: target.value, value: next })
          onChange(next)
        }}
      />
      {isInvalid && (
        <span className="note error" role="alert">
          “{typed.text}” is not {typeNouns[type]}.
        </span>
      )}
    </span>
  )
}

/** The chosen values in words, and the list of all of them. */
function ChosenValues(props: ConditionValuesProps): ReactNode {
  const { column, context, condition, rest, onChange } = props
  const [isOpen, setOpen] = useState(condition.values.length === 0)
  const labelOf = useValueLabels([{ column, values: condition.values }], context)
  const texts = [...new Set(condition.values.map((value) => labelOf(value, column)))]
  return (
    <>
      <Button className="filter-chosen" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <span className="visually-hidden">Values of {columnName(column)}: </span>
        {texts.length === 0 ? 'Select values' : texts.join(', ')}
      </Button>
      {isOpen && (
        <ValueList
          column={column}
          context={context}
          filter={rest}
          chosen={condition.values}
          onChoose={onChange}
        />
      )}
    </>
  )
}
