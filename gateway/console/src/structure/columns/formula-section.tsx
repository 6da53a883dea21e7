import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { type Column, columnsQuery } from '../../api/resources'
import { CheckField, SelectField } from '../../components/field'
import { columnName } from '../../formats/column'
import { FormulaField } from '../../formulas/formula-field'
import { typeOf, type ColumnDraft } from './column-types'

interface FormulaSectionProps {
  readonly docId: string
  readonly tableId: string
  readonly column: Column | undefined
  readonly draft: ColumnDraft
  readonly isFocused: boolean
  /** The rows in view. */
  readonly rowIds: () => readonly number[]
  readonly onChange: (draft: ColumnDraft) => void
}

/** The formula of a column, and for a trigger formula when it runs. */
export function FormulaSection(props: FormulaSectionProps): ReactNode {
  const { docId, tableId, column, draft, isFocused, rowIds, onChange } = props
  return (
    <>
      <FormulaField
        docId={docId}
        tableId={tableId}
        colId={column?.id}
        type={typeOf(draft)}
        isFormula={draft.source === 'formula'}
        formula={draft.formula}
        isFocused={isFocused}
        rowIds={rowIds}
        onChange={(formula) => onChange({ ...draft, formula })}
      />
      {draft.source === 'trigger' && <TriggerFields {...props} />}
    </>
  )
}

const NAMED = '0'
const occasions = [
  [NAMED, 'for new rows, and when these columns change'],
  ['2', 'for new rows, and on every change of the row'],
  ['1', 'never'],
] as const

function TriggerFields({ docId, tableId, draft, onChange }: FormulaSectionProps): ReactNode {
  const columns = useQuery(columnsQuery(docId, tableId))
  const { recalcWhen, recalcDeps } = draft
  const toggle = (ref: number, isChosen: boolean) =>
    onChange({
      ...draft,
      recalcDeps: isChosen ? [...recalcDeps, ref] : recalcDeps.filter((other) => other !== ref),
    })
  return (
    <>
      <SelectField
        label="The formula runs"
        value={recalcWhen}
        options={occasions}
        onChange={({ target }) => onChange({ ...draft, recalcWhen: Number(target.value) })}
      />
      {String(recalcWhen) === NAMED && (
        <fieldset className="trigger-columns">
          <legend>Columns whose changes run it</legend>
          {(columns.data ?? []).map((column) => (
            <CheckField
              key={column.id}
              label={columnName(column)}
              checked={recalcDeps.includes(column.fields.colRef)}
              onChange={({ target }) => toggle(column.fields.colRef, target.checked)}
            />
          ))}
        </fieldset>
      )}
    </>
  )
}
