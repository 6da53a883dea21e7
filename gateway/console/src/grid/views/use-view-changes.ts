import type { View, ViewSettings } from '@sheaf/client'
import { useQueryClient } from '@tanstack/react-query'
import { VIEWS_TABLE, viewsKey, viewsQuery } from '../../api/resources'
import { docOf } from '../../api/sheaf'
import type { CellContext } from '../../cells/editing/cell-type'
import { useToaster } from '../../components/toast'
import { useApiMutation } from '../../components/use-api-mutation'
import { useIsShown } from '../../components/use-is-shown'
import { useAnnounceChange } from '../../undo/undo-provider'

/** What editors do with the views of a table. */
export interface ViewChanges {
  /** Adds a view and chooses it. Rejects if it cannot be added. */
  readonly add: (settings: ViewSettings & { readonly name: string }) => Promise<void>
  /** Changes a view. Rejects if it cannot be changed. */
  readonly update: (view: View, fields: ViewSettings) => Promise<void>
  /** Deletes a view. A message has an undo, or the reason why it could not be deleted. */
  readonly remove: (view: View) => void
  /** Shows errors of the other changes as a message. */
  readonly showError: (error: unknown) => void
}

/** Changes of the views of a table. */
export function useViewChanges(
  { docId, tableId }: CellContext,
  choose: (view: View | undefined) => void,
): ViewChanges {
  const client = useQueryClient()
  const toaster = useToaster()
  const announce = useAnnounceChange()
  const { mutate } = useApiMutation(viewsKey(docId))
  const isShown = useIsShown()
  const { views } = docOf(docId).table(tableId)
  return {
    async add(settings) {
      const [id] = await mutate(() => views.add([settings]))
      const known = client.getQueryData(viewsQuery(docId, tableId).queryKey)
      const added = known?.find((view) => view.id === id)
      // Choosing it would lead back to a table that was left meanwhile.
      if (added && isShown()) choose(added)
    },
    update: ({ id }, fields) => mutate(() => views.update([{ id, fields }])),
    remove({ id, fields: { name } }) {
      // Otherwise the view would be missed once it is deleted.
      choose(undefined)
      const deleted = mutate(() => views.delete(id))
      deleted.catch(toaster.showError)
      announce(
        `View “${name}” deleted`,
        deleted.then(() => findRemoval(docId, id)),
      )
    },
    showError: toaster.showError,
  }
}

/** Returns the position of the change that deleted a view, which the answer to the deletion does not have. */
async function findRemoval(docId: string, viewId: number): Promise<number | undefined> {
  const selection = { tableId: VIEWS_TABLE, rowId: viewId, limit: 1 }
  const { value } = await docOf(docId).history(selection).next()
  return value?.seq
}
