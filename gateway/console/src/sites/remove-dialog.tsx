import type { ReactNode } from 'react'
import { sheaf } from '../api/sheaf'
import { useApiMutation } from '../components/use-api-mutation'
import { ConfirmDialog } from '../components/overlays/dialog'

interface RemoveDialogProps {
  /** Path in the API. */
  readonly path: string
  readonly name: string
  /** Explains the consequences. */
  readonly children: ReactNode
  readonly onClose: () => void
}

/** Moves a workspace or document to the trash after confirmation. */
export function RemoveDialog({ path, name, children, onClose }: RemoveDialogProps): ReactNode {
  const { mutate } = useApiMutation(['workspaces'], ['document'])
  return (
    <ConfirmDialog
      title={`Move “${name}” to trash?`}
      confirm="Move to trash"
      onClose={onClose}
      onConfirm={() =>
        mutate(() => sheaf().request({ method: 'POST', path: `${path}/remove` }), 'Moved to trash.')
      }
    >
      <p>{children}</p>
    </ConfirmDialog>
  )
}
