import type { View } from '@sheaf/client'
import { useMemo, type ReactNode } from 'react'
import type { Column } from '../api/resources'
import type { CellContext } from '../cells/editing/cell-type'
import { Button } from '../components/button'
import { Dialog } from '../components/overlays/dialog'
import { useLeaveQuestion } from '../components/overlays/use-leave-question'
import { leavePage } from '../components/use-leave-guard'
import { previewOf } from '../form/form-settings'
import { useChosenView } from '../grid/views/use-chosen-view'
import { useViewChanges } from '../grid/views/use-view-changes'
import { ViewMenu } from '../grid/views/view-menu'
import { FormPreview } from './form-preview'
import { FormPane } from './form-pane'
import { useFormEdits, type FormEditing } from './use-form-edits'

interface TableFormProps extends CellContext {
  readonly columns: readonly Column[]
  /** The chosen view, a form. */
  readonly view: View
}

/** A view of type `form`: for editors its settings beside a preview, for others the preview. */
export function TableForm({ columns, view, ...context }: TableFormProps): ReactNode {
  const { canEdit } = context
  const chosenView = useChosenView(context)
  const choose = (next: View | undefined) => leavePage(() => chosenView.choose(next))
  const changes = useViewChanges(context, choose)
  const edits = useFormEdits({ ...context, view, columns, changes })
  const { draft, isChanged, isSaving, save, discard } = edits
  const { name } = view.fields
  // Also once the session has ended, and anyone may view the document.
  const leaving = useLeaveQuestion({ isPresent: isChanged, name: `the form “${name}”`, discard })
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
          changes={{ ...changes, remove: (gone) => leavePage(() => changes.remove(gone)) }}
          onChoose={choose}
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
          <Button kind="quiet" onClick={discard}>
            Discard changes
          </Button>
        )}
      </div>
      <div className="form-panes">
        {canEdit && <FormPane view={view} draft={draft} columns={columns} onDraft={edits.change} />}
        <FormPreview form={form} />
      </div>
      {leaving}
      {edits.isInConflict && <ConflictDialog {...edits} />}
    </div>
  )
}

/** Asks which form is kept, if someone else has changed it since it was edited. */
function ConflictDialog(edits: FormEditing): ReactNode {
  return (
    <Dialog title="Someone else has changed this form" onClose={edits.resume}>
      <p>Their form is saved, and yours is not. Yours stays here until you decide.</p>
      <div className="dialog-foot">
        <Button onClick={edits.resume}>Cancel</Button>
        <Button onClick={edits.discard}>Show theirs</Button>
        <Button kind="danger" isBusy={edits.isSaving} onClick={edits.overwrite}>
          Save mine
        </Button>
      </div>
    </Dialog>
  )
}
