import type { DocumentSummary, Org, Workspace } from '@sheaf/client'
import { useState, type ReactNode } from 'react'
import { Link, useNavigate } from 'react-router'
import { AccessDialog } from '../access/access-dialog'
import { docPath } from '../api/paths'
import { sheaf } from '../api/sheaf'
import { useApiMutation } from '../components/use-api-mutation'
import { Menu } from '../components/overlays/menu'
import type { MenuItem } from '../components/overlays/menu-items'
import { Time } from '../components/time'
import { canAddTo } from './can-add-to'
import { MoveDialog } from './move-dialog'
import { RemoveDialog } from './remove-dialog'
import { RenameDialog } from './rename-dialog'

interface DocumentRowProps {
  readonly org: Org
  readonly workspace: Workspace
  readonly document: DocumentSummary
}

type Opened = 'access' | 'move' | 'remove' | 'rename'

/** A document in the listing of its workspace. */
export function DocumentRow(props: DocumentRowProps): ReactNode {
  const { org, document } = props
  const { id, name, isPinned, updatedAt, updatedBy } = document
  const [opened, setOpened] = useState<Opened>()
  const navigate = useNavigate()
  const { mutateOrToast } = useApiMutation(['workspaces'])
  const path = docPath(String(id))
  const isOwner = document.access === 'owners'
  // Pinning affects the listing of the site, so it requires a role on the site.
  const canPin = org.access === 'owners' || org.access === 'editors'
  const canCopy = canAddTo(props.workspace)
  const pin = () => {
    const call = { method: 'PATCH', path: `${path}/${isPinned ? 'unpin' : 'pin'}` } as const
    mutateOrToast(() => sheaf().request(call))
  }
  const copy = () => {
    const json = { workspaceId: props.workspace.id }
    const call = { method: 'POST', path: `${path}/copy`, json } as const
    mutateOrToast(() => sheaf().request(call), 'Document copied.')
  }
  const items: (MenuItem | false)[] = [
    { label: 'Open', onSelect: () => void navigate(`/docs/${id}`) },
    isOwner && { label: 'Rename', onSelect: () => setOpened('rename') },
    isOwner && { label: 'Move', onSelect: () => setOpened('move') },
    canCopy && { label: 'Copy', onSelect: copy },
    canPin && { label: isPinned ? 'Unpin' : 'Pin', onSelect: pin },
    { label: 'Access', onSelect: () => setOpened('access') },
    isOwner && { label: 'Move to trash', isDanger: true, onSelect: () => setOpened('remove') },
  ]
  return (
    <li>
      <div className="row-main">
        <Link to={`/docs/${id}`}>{name}</Link>
        {isPinned && <span className="badge pinned">pinned</span>}
        <span className="note">
          Updated <Time at={updatedAt} />
          {updatedBy !== undefined && ` by ${updatedBy}`}
        </span>
      </div>
      <Menu label={`More actions for ${name}`} items={items.filter((item) => item !== false)} />
      <RowDialog {...props} opened={opened} onClose={() => setOpened(undefined)} />
    </li>
  )
}

interface RowDialogProps extends DocumentRowProps {
  readonly opened: Opened | undefined
  readonly onClose: () => void
}

function RowDialog({ org, workspace, document, opened, onClose }: RowDialogProps): ReactNode {
  const { id, name } = document
  const path = docPath(String(id))
  switch (opened) {
    case undefined:
      return null
    case 'access':
      return (
        <AccessDialog
          place={{ kind: 'document', path, name, page: `/docs/${id}`, orgId: org.id }}
          onClose={onClose}
        />
      )
    case 'move':
      return <MoveDialog document={document} workspaceId={workspace.id} onClose={onClose} />
    case 'rename':
      return <RenameDialog kind="document" path={path} name={name} onClose={onClose} />
    case 'remove':
      return (
        <RemoveDialog path={path} name={name} onClose={onClose}>
          You can restore it within 30 days.
        </RemoveDialog>
      )
  }
}
