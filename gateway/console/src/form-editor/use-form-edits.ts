import type { View } from '@sheaf/client'
import { useQueryClient } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { columnsQuery, viewsQuery, type Column } from '../api/resources'
import type { CellContext } from '../cells/editing/cell-type'
import { useKeptState } from '../document-context/kept-edits'
import { toDraft, type FormDraft } from '../form/form-settings'
import type { ViewChanges } from '../grid/views/use-view-changes'
import { followColumns, isSameForm, type FormEdits } from './form-edits'

interface EditedView extends Pick<CellContext, 'docId' | 'tableId'> {
  readonly view: View
  readonly columns: readonly Column[]
  readonly changes: ViewChanges
}

/** The form of a view as it is edited. */
export interface FormEditing {
  readonly draft: FormDraft
  readonly isChanged: boolean
  readonly isSaving: boolean
  /** True if someone else has changed the form since it was edited: nothing was saved. */
  readonly isInConflict: boolean
  readonly change: (draft: FormDraft) => void
  readonly discard: () => void
  readonly save: () => void
  /** Saves it in place of what someone else has saved. */
  readonly overwrite: () => void
  /** Keeps editing. */
  readonly resume: () => void
}

/** Edits of a form, which follow their columns and do not overwrite what someone else has saved since they began. */
export function useFormEdits({ docId, tableId, view, columns, changes }: EditedView): FormEditing {
  const client = useQueryClient()
  const saved = useMemo(() => toDraft(view.fields.form), [view.fields.form])
  const [kept, setKept] = useKeptState<FormEdits>(`form ${view.id}`, tableId)
  const [isSaving, setSaving] = useState(false)
  const [isInConflict, setInConflict] = useState(false)
  const edits = useMemo(() => kept && followColumns(kept, columns), [kept, columns])
  const began = edits?.began ?? saved
  const draft = edits?.draft ?? saved
  /** Returns the edits as the columns are stored now, and true if the form is stored as it was when they began. */
  const compare = async (before: FormEdits) => {
    const fresh = { staleTime: 0 }
    const [views, now] = await Promise.all([
      client.fetchQuery({ ...viewsQuery(docId, tableId), ...fresh }),
      client.fetchQuery({ ...columnsQuery(docId, tableId), ...fresh }),
    ])
    const following = followColumns(before, now)
    const form = views.find(({ id }) => id === view.id)?.fields.form
    return { following, isSame: !form || isSameForm(toDraft(form), following.began) }
  }
  const write = async (isConfirmed: boolean) => {
    if (!edits) return
    const { following, isSame } = await compare(edits)
    setInConflict(!isSame && !isConfirmed)
    if (!isSame && !isConfirmed) return
    await changes.update(view, { form: following.draft })
    // What was edited meanwhile began with what is saved now.
    setKept((now) => (now === kept ? undefined : now && { ...now, began: following.draft }))
  }
  const run = (isConfirmed: boolean) => {
    setSaving(true)
    write(isConfirmed)
      .catch(changes.showError)
      .finally(() => setSaving(false))
  }
  return {
    draft,
    isChanged: edits !== undefined,
    isSaving,
    isInConflict,
    change: (next) =>
      setKept(isSameForm(next, began) ? undefined : { began, draft: next, columns }),
    discard: () => {
      setInConflict(false)
      setKept(undefined)
    },
    save: () => run(false),
    overwrite: () => run(true),
    resume: () => setInConflict(false),
  }
}
