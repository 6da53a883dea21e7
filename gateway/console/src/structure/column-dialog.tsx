import { useState, type ReactNode } from 'react'
import { columnName, isComputed } from '../formats/column'
import type { Column } from '../api/resources'
import { makeChange } from '../undo/make-change'
import { useRecordChange } from '../undo/undo-provider'
import { useApiMutation } from '../components/use-api-mutation'
import { FormDialog } from '../components/dialog'
import type { ValueColumn } from './choices-field'
import { ColumnFields } from './column-fields'
import { FormulaSection } from './formula-section'
import {
  changedFields,
  draftOf,
  isChoice,
  isRef,
  newDraft,
  newFields,
  typeOf,
  type ColumnDraft,
} from './column-types'

interface ColumnDialogProps {
  readonly docId: string
  readonly tableId: string
  /** The column to edit; undefined to add one. */
  readonly column?: Column
  /** True to begin with its formula. */
  readonly startsWithFormula?: boolean
  /** The rows in view, of which results of a formula are shown. */
  readonly rowIds: () => readonly number[]
  readonly onClose: () => void
}

/** Adds a column to a table, or edits one. */
export function ColumnDialog(props: ColumnDialogProps): ReactNode {
  const { docId, tableId, column, startsWithFormula = false, rowIds, onClose } = props
  const [draft, setDraft] = useState(() => (column ? draftOf(column) : newDraft()))
  const { mutate } = useApiMutation(['document', docId])
  const record = useRecordChange()
  const hasFormula = draft.source !== 'data'
  const isComplete =
    draft.label.trim() !== '' &&
    (!isRef(draft.type) || draft.refTable !== '') &&
    (!hasFormula || draft.formula.trim() !== '')
  const submit = async () => {
    const name = `Column “${draft.label.trim()}”`
    const fields = column ? changedFields(column, draft) : newFields(draft)
    if (Object.keys(fields).length === 0) return
    const made = makeChange(
      docId,
      column
        ? { op: 'updateColumns', table: tableId, columns: [{ id: column.id, fields }] }
        : { op: 'addColumns', table: tableId, columns: [{ id: draft.label.trim(), fields }] },
    )
    record(
      `${name} ${column ? 'changed' : 'added'}`,
      made.then(({ seq }) => seq),
    )
    await mutate(() => made)
  }
  return (
    <FormDialog
      title={column ? `Edit column “${columnName(column)}”` : `Add column to ${tableId}`}
      submit={column ? 'Save' : 'Add column'}
      canSubmit={isComplete}
      isWide={hasFormula}
      onClose={onClose}
      onSubmit={submit}
    >
      <ColumnFields
        docId={docId}
        draft={draft}
        onChange={setDraft}
        labelHint={
          column ? <IdHint column={column} /> : 'The column id used in the API is derived from it.'
        }
        typeHint={changeNote(column, draft)}
        valueColumn={column && valuesOf(docId, tableId, column)}
      />
      {hasFormula && (
        <FormulaSection
          docId={docId}
          tableId={tableId}
          column={column}
          draft={draft}
          isFocused={startsWithFormula}
          rowIds={rowIds}
          onChange={setDraft}
        />
      )}
    </FormDialog>
  )
}

/** The values that can become choices: not lists. */
function valuesOf(docId: string, tableId: string, { id, fields }: Column): ValueColumn | undefined {
  const isList = /List|Attachments/.test(fields.type)
  return isList ? undefined : { docId, tableId, colId: id, isConverted: !isChoice(fields.type) }
}

const CONVERSION_NOTE =
  'Existing values are converted. Values that cannot be converted are kept as text.'
const REPLACEMENT_NOTE = 'Existing values are replaced by the results of the formula.'

/** What a change does to the cells of a column. */
function changeNote(column: Column | undefined, draft: ColumnDraft): string | undefined {
  if (!column) return undefined
  if (draft.source === 'formula') return isComputed(column) ? undefined : REPLACEMENT_NOTE
  return typeOf(draft) === column.fields.type ? undefined : CONVERSION_NOTE
}

function IdHint({ column }: { readonly column: Column }): ReactNode {
  const { id, fields } = column
  return (
    <>
      Column id in the API: <code>{id}</code>
      {fields.untieColIdFromLabel ? '.' : '. Changing the label changes the id.'}
    </>
  )
}
