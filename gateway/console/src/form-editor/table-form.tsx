import type { View } from '@sheaf/client'
import { useCallback, useMemo, useState, type ReactNode } from 'react'
import type { Column } from '../api/resources'
import type { CellContext } from '../cells/editing/cell-type'
import { Button } from '../components/button'
import { ConfirmDialog } from '../components/dialog'
import { leavePage, useLeaveGuard } from '../components/use-leave-guard'
import { previewOf, toDraft, type FormDraft } from '../form/form-settings'
import { useChosenView } from '../grid/views/use-chosen-view'
import { useViewChanges } from '../grid/views/use-view-changes'
import { ViewMenu } from '../grid/views/view-menu'
import { FormPreview } from './form-preview'
import { FormPane } from './form-pane'

interface TableFormProps extends CellContext {
  readonly columns: readonly Column[]
  /** The chosen view, a form. */
  readonly view: View
}

/** A view of type `form`: for editors its settings beside a preview, for others the preview. */
export function TableForm({ columns, view, ...context }: TableFormProps): ReactNode {
  const { canEdit } = context
  const chosenView = useChosenView(context)
  const changes = useViewChanges(context, chosenView.choose)
  const saved = useMemo(() => toDraft(view.fields.form), [view.fields.form])
  const [edited, setEdited] = useState<FormDraft>()
  const [isSaving, setSaving] = useState(false)
  const draft = edited ?? saved
  const isChanged = JSON.stringify(draft) !== JSON.stringify(saved)
  const { name } = view.fields
  const save = () => {
    setSaving(true)
    changes
      .update(view, { form: draft })
      .then(() => setEdited((now) => (now === draft ? undefined : now)), changes.showError)
      .finally(() => setSaving(false))
  }
  const leaving = useLeaving(canEdit && isChanged, () => setEdited(undefined))
  const form = useMemo(() => previewOf(draft, name, columns), [draft, name, columns])
  return (
    <div className="form-view">
      <div className="grid-bar">
        <ViewMenu
          {...chosenView}
          columns={columns}
          canEdit={canEdit}
          settings={view.fields}
          changed={isChanged ? { form: draft } : {}}
          changes={changes}
          onChoose={(next) => leavePage(() => chosenView.choose(next))}
          onSave={save}
        />
        {canEdit && (
          <Button
            kind="primary"
            isBusy={isSaving}
            aria-disabled={!isChanged}
            onClick={() => isChanged && save()}
          >
            Save form
          </Button>
        )}
        {canEdit && isChanged && (
          <Button kind="quiet" onClick={() => setEdited(undefined)}>
            Discard changes
          </Button>
        )}
      </div>
      <div className="form-panes">
        {canEdit && <FormPane view={view} draft={draft} columns={columns} onDraft={setEdited} />}
        <FormPreview form={form} />
      </div>
      {leaving}
    </div>
  )
}

/** Asks before edits are lost, and returns the question while it is open. */
function useLeaving(hasEdits: boolean, discard: () => void): ReactNode {
  const [go, setGo] = useState<{ readonly to: () => void }>()
  useLeaveGuard(
    hasEdits,
    useCallback((to) => setGo({ to }), []),
  )
  if (!go) return null
  return (
    <ConfirmDialog
      title="Leave without saving?"
      confirm="Leave without saving"
      onClose={() => setGo(undefined)}
      onConfirm={() => {
        discard()
        // Once the edits are gone, nothing asks again.
        setTimeout(go.to)
        return Promise.resolve()
      }}
    >
      <p>The form has changes that were not saved.</p>
    </ConfirmDialog>
  )
}
