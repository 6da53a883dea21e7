import type { Column } from '../api/resources'
import { isFillable, type FormDraft } from '../form/form-settings'
import { isSameValue } from '../formats/value'

/** Changes of a form that are not saved. */
export interface FormEdits {
  /** The form with which they began. */
  readonly began: FormDraft
  readonly draft: FormDraft
  /** The columns of the table when their ids were written into both. */
  readonly columns: readonly Column[]
}

/** Edits with the ids that the columns have now, without questions of columns that were deleted. */
export function followColumns(edits: FormEdits, columns: readonly Column[]): FormEdits {
  if (edits.columns === columns) return edits
  const refs = new Map(edits.columns.map(({ id, fields }) => [id, fields.colRef]))
  const byRef = new Map(columns.map((column) => [column.fields.colRef, column]))
  const follow = (form: FormDraft): FormDraft => ({
    ...form,
    fields: form.fields.flatMap((field) => {
      const column = byRef.get(refs.get(field.id) ?? NaN)
      return column && isFillable(column) ? [{ ...field, id: column.id }] : []
    }),
  })
  return { began: follow(edits.began), draft: follow(edits.draft), columns }
}

/** Returns true for forms that are the same to the server, which stores what a question does not set. */
export const isSameForm = (one: FormDraft, other: FormDraft): boolean =>
  isSameValue(inFull(one), inFull(other))

const inFull = (form: FormDraft) => ({
  ...form,
  fields: form.fields.map(
    ({ id, label = '', help = '', required = false, multiline = false }) =>
      [id, label, help, required, multiline] as const,
  ),
})
