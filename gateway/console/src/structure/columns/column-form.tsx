import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { columnName } from '../../formats/column'
import { columnsQuery, tablesQuery } from '../../api/resources'
import { labelColumn } from '../../cells/reference/label-queries'
import { Field, SelectField, TextField } from '../../components/field'
import { ChoiceList, type ValueColumn } from '../choices/choice-list'
import { FormatFields } from './format-fields'
import { TypeField } from './type-field'
import {
  isChoice,
  isRef,
  newDraft,
  typeOf,
  type ColumnDraft,
  type ValueSource,
} from './column-types'

interface ColumnFormProps {
  readonly docId: string
  readonly draft: ColumnDraft
  readonly onChange: (draft: ColumnDraft) => void
  /** Hint below the name. */
  readonly labelHint?: ReactNode
  /** Hint below the type. */
  readonly typeHint?: ReactNode
  /** The column as it is stored, if its values can become choices. */
  readonly valueColumn?: ValueColumn
}

/** Form fields of a column: name, type and the options of the type. */
export function ColumnForm(props: ColumnFormProps): ReactNode {
  const { docId, draft, onChange, labelHint, typeHint, valueColumn } = props
  const { type, zone } = draft
  const set = (change: Partial<ColumnDraft>) => onChange({ ...draft, ...change })
  return (
    <>
      <TextField
        label="Name"
        hint={labelHint}
        value={draft.label}
        required
        maxLength={256}
        onChange={({ target }) => set({ label: target.value })}
      />
      <TypeField type={type} hint={typeHint} onChange={(next) => set({ type: next })} />
      <SelectField
        label="Values"
        hint={sourceHints[draft.source]}
        value={draft.source}
        options={sources}
        onChange={({ target }) => set(withSource(draft, target.value as ValueSource))}
      />
      {type === 'DateTime' && (
        <SelectField
          label="Time zone"
          value={zone}
          options={zones(zone)}
          onChange={({ target }) => set({ zone: target.value })}
        />
      )}
      {isChoice(type) && (
        <ChoiceList
          choices={draft.choices}
          onChange={(choices) => set({ choices })}
          column={valueColumn}
        />
      )}
      <FormatFields
        type={typeOf(draft)}
        options={draft.options}
        onChange={(options) => set({ options })}
      />
      {isRef(type) && <RefFields docId={docId} draft={draft} onSet={set} />}
    </>
  )
}

interface DescriptionFieldProps {
  readonly draft: ColumnDraft
  readonly onChange: (draft: ColumnDraft) => void
}

/** What a column is for, to its readers. */
export function DescriptionField({ draft, onChange }: DescriptionFieldProps): ReactNode {
  return (
    <Field label="Description" hint="Shown by the header of the column.">
      {(control) => (
        <textarea
          {...control}
          className="description"
          value={draft.description}
          onChange={({ target }) => onChange({ ...draft, description: target.value })}
        />
      )}
    </Field>
  )
}

const sources = [
  ['data', 'Entered'],
  ['formula', 'Computed by a formula'],
  ['trigger', 'Entered, with a trigger formula'],
] as const

const sourceHints: Readonly<Partial<Record<ValueSource, string>>> = {
  formula: 'The cells are computed and cannot be edited.',
  trigger: 'The formula fills in cells of new rows, and runs again as set below.',
}

/** Results of a formula may have any type, unless another one than that of new columns was chosen. */
const withSource = ({ type }: ColumnDraft, source: ValueSource): Partial<ColumnDraft> =>
  source === 'formula' && type === newDraft().type ? { source, type: 'Any' } : { source }

function zones(current: string): readonly (readonly [string, string])[] {
  const names = new Set(['UTC', current, ...Intl.supportedValuesOf('timeZone')])
  return [...names].map((name) => [name, name.replaceAll('_', ' ')] as const)
}

interface RefFieldsProps {
  readonly docId: string
  readonly draft: ColumnDraft
  readonly onSet: (change: Partial<ColumnDraft>) => void
}

/** The referenced table, and the column displayed for its rows. */
function RefFields({ docId, draft, onSet }: RefFieldsProps): ReactNode {
  const { refTable, visibleCol } = draft
  const tables = useQuery(tablesQuery(docId))
  const columns = useQuery({ ...columnsQuery(docId, refTable), enabled: refTable !== '' })
  const names = (tables.data ?? []).map(({ id }) => [id, id] as const)
  const fallback = labelColumn(columns.data ?? [], 0)
  const defaultName = fallback ? `${columnName(fallback)} (default)` : 'Row id'
  return (
    <>
      <SelectField
        label="Table"
        required
        value={refTable}
        options={[['', 'Select a table'], ...names]}
        onChange={({ target }) => onSet({ refTable: target.value, visibleCol: 0 })}
      />
      <SelectField
        label="Display column"
        disabled={refTable === ''}
        value={visibleCol}
        options={[
          ['0', defaultName],
          ...(columns.data ?? []).map(
            ({ id, fields }) => [String(fields.colRef), fields.label || id] as const,
          ),
        ]}
        onChange={({ target }) => onSet({ visibleCol: Number(target.value) })}
      />
    </>
  )
}
