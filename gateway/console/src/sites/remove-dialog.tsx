import type { ReactNode } from 'react'
import { call } from '../api/client'
import { useApiMutation } from '../components/use-api-mutation'
import { ConfirmDialog } from '../components/dialog'

interface RemoveDialogProps {
  /** Path in the API. */
  readonly path: string
  readonly name: string
  /** What it means. */
  readonly children: ReactNode
  readonly onClose: () => void
}

/** Moves a workspace or a document to the trash, when that is confirmed. */
export function RemoveDialog({ path, name, children, onClose }: RemoveDialogProps): ReactNode {
  const { mutate } = useApiMutation(['workspaces'], ['document'])
  return (
    <ConfirmDialog
      title={`Move “${name}” to the trash?`}
      confirm="Move to trash"
      onClose={onClose}
      onConfirm={() => mutate(() => call('POST', `${path}/remove`), 'It is in the trash.')}
    >
      <p>{children}</p>
    </ConfirmDialog>
  )
}
