import { useQueryClient } from '@tanstack/react-query'
import { columnsQuery, type Column } from '../../api/resources'
import { useApiMutation } from '../../components/use-api-mutation'
import { isComputed } from '../../formats/column'
import { isSameValue } from '../../formats/value'
import { makeChange, makeChanges } from '../../undo/make-change'
import { useRecordChange } from '../../undo/undo-provider'
import { renamedChoices } from '../choices/choice-drafts'
import { renameInCells } from '../choices/rename-choices'
import { changedFields, isChoice, newFields, type ColumnDraft } from './column-types'

/** A table, and its column that is edited; undefined for a new one. */
interface EditedColumn {
  readonly docId: string
  readonly tableId: string
  readonly column?: Column
}

/** Returns a function that stores a draft: as one change, with the cells whose choices were renamed. */
export function useSaveColumn(
  { docId, tableId, column }: EditedColumn,
  draft: ColumnDraft,
): () => Promise<void> {
  const { mutate } = useApiMutation(['document', docId])
  const client = useQueryClient()
  const record = useRecordChange()
  const label = draft.label.trim()
  const keep = async <Made extends { readonly seq: number | undefined }>(
    what: string,
    change: Promise<Made>,
  ): Promise<Made> => {
    record(
      `Column “${label}” ${what}`,
      change.then(({ seq }) => seq),
    )
    return change
  }
  /**
   * Returns the column as it is stored, perhaps with another id. Rejects if someone else has changed these fields since it was
   * opened: they are written whole.
   */
  const expectUnchanged = async (
    edited: Column,
    fields: readonly (keyof Column['fields'])[],
  ): Promise<Column> => {
    const stored = await client.fetchQuery({ ...columnsQuery(docId, tableId), staleTime: 0 })
    const now = stored.find(({ fields: { colRef } }) => colRef === edited.fields.colRef)
    if (now && !fields.every((field) => isSameValue(now.fields[field], edited.fields[field])))
      throw new Error(
        'Someone else has changed this column in the meantime. Cancel, and edit it again.',
      )
    return now ?? edited
  }
  const edit = async (edited: Column) => {
    const fields = changedFields(edited, draft)
    if (Object.keys(fields).length === 0) return
    const now = await expectUnchanged(edited, Object.keys(fields) as (keyof Column['fields'])[])
    const cells = await renamedCells({ docId, tableId }, now, draft)
    const columns = [{ id: now.id, fields }]
    const update = { op: 'updateColumns', table: tableId, columns } as const
    await keep('changed', makeChanges(docId, cells ? [cells, update] : [update]))
  }
  const add = async () => {
    const columns = [{ id: label, fields: newFields(draft) }]
    await keep('added', makeChange(docId, { op: 'addColumns', table: tableId, columns }))
  }
  return () => mutate(() => (column ? edit(column) : add()))
}

function renamedCells(
  table: { readonly docId: string; readonly tableId: string },
  column: Column,
  { type, choices }: ColumnDraft,
) {
  const names = renamedChoices(choices)
  const isWritten = isChoice(column.fields.type) && isChoice(type) && !isComputed(column)
  return isWritten && names.size > 0 ? renameInCells(table, column, names) : undefined
}
