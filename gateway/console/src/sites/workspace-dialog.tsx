import type { Org, Workspace } from '@sheaf/client'
import type { ReactNode } from 'react'
import { AccessDialog } from '../access/access-dialog'
import { ImportDialog } from '../import/import-dialog'
import { NewDocumentDialog } from './new-document-dialog'
import { RemoveDialog } from './remove-dialog'
import { RenameDialog } from './rename-dialog'

/** A dialog of a workspace. */
export type WorkspaceDialogName = 'access' | 'document' | 'import' | 'remove' | 'rename'

interface WorkspaceDialogProps {
  readonly org: Org
  readonly workspace: Workspace
  readonly opened: WorkspaceDialogName | undefined
  readonly onClose: () => void
}

/** The open dialog of a workspace, if any. */
export function WorkspaceDialog({
  org,
  workspace,
  opened,
  onClose,
}: WorkspaceDialogProps): ReactNode {
  const { id, name } = workspace
  const path = `/api/workspaces/${id}`
  switch (opened) {
    case undefined:
      return null
    case 'access':
      return (
        <AccessDialog
          place={{ kind: 'workspace', path, name, page: `/sites/${org.id}`, orgId: org.id }}
          onClose={onClose}
        />
      )
    case 'import':
      return <ImportDialog workspaces={[workspace]} onClose={onClose} />
    case 'document':
      return <NewDocumentDialog workspaces={[workspace]} onClose={onClose} />
    case 'rename':
      return <RenameDialog kind="workspace" path={path} name={name} onClose={onClose} />
    case 'remove':
      return (
        <RemoveDialog path={path} name={name} onClose={onClose}>
          Its documents are moved with it. You can restore them within 30 days.
        </RemoveDialog>
      )
  }
}
