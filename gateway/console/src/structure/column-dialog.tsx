import { useState, type ReactNode } from 'react'
import { columnName } from '../formats/column'
import { call } from '../api/client'
import { tablePath, type Column } from '../api/resources'
import { useApiMutation } from '../components/use-api-mutation'
import { FormDialog } from '../components/dialog'
import { ColumnFields } from './column-fields'
import {
  changedFields,
  draftOf,
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
  readonly onClose: () => void
}

/** Adds a column to a table, or edits one. */
export function ColumnDialog({ docId, tableId, column, onClose }: ColumnDialogProps): ReactNode {
  const [draft, setDraft] = useState(() => (column ? draftOf(column) : newDraft()))
  const { mutate } = useApiMutation(['document', docId])
  const path = `${tablePath(docId, tableId)}/columns`
  const isComplete = draft.label.trim() !== '' && (!isRef(draft.type) || draft.refTable !== '')
  const submit = async () => {
    if (!column) return mutate(() => call('POST', path, { body: { columns: [newColumn(draft)] } }))
    const fields = changedFields(column, draft)
    if (Object.keys(fields).length === 0) return
    return mutate(() => call('PATCH', path, { body: { columns: [{ id: column.id, fields }] } }))
  }
  return (
    <FormDialog
      title={column ? `Edit column “${columnName(column)}”` : `Add column to ${tableId}`}
      submit={column ? 'Save' : 'Add column'}
      canSubmit={isComplete}
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
        typeHint={column && typeOf(draft) !== column.fields.type ? CONVERSION_NOTE : undefined}
      />
    </FormDialog>
  )
}

const CONVERSION_NOTE =
  'Existing values are converted. Values that cannot be converted are kept as text.'

const newColumn = (draft: ColumnDraft) => ({ id: draft.label.trim(), fields: newFields(draft) })

function IdHint({ column }: { readonly column: Column }): ReactNode {
  const { id, fields } = column
  return (
    <>
      Column id in the API: <code>{id}</code>
      {fields.untieColIdFromLabel ? '.' : '. Changing the label changes the id.'}
    </>
  )
}
