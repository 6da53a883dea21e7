import type { Org, Workspace } from '@sheaf/client'
import type { ReactNode } from 'react'
import { useNavigate } from 'react-router'
import { AccessDialog } from '../access/access-dialog'
import { sheaf } from '../api/sheaf'
import { NameDialog } from '../components/dialog'
import { useApiMutation } from '../components/use-api-mutation'
import { ImportDialog } from '../import/import-dialog'
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
  const navigate = useNavigate()
  const { mutate } = useApiMutation(['workspaces'])
  const create = async (newName: string) => {
    const doc = await mutate(() => sheaf().documents.create({ workspaceId: id, name: newName }))
    void navigate(`/docs/${doc.id}`)
  }
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
      return (
        <NameDialog
          title={`New document in “${name}”`}
          submit="Create document"
          onClose={onClose}
          onName={create}
        />
      )
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
