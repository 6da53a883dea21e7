import type { DocumentSummary, Org, Workspace } from '@sheaf/client'
import { useState, type ReactNode } from 'react'
import { useNavigate } from 'react-router'
import { AccessDialog } from '../access/access-dialog'
import { sheaf } from '../api/sheaf'
import { useApiMutation } from '../components/use-api-mutation'
import { Button } from '../components/button'
import { NameDialog } from '../components/dialog'
import { Menu } from '../components/menu'
import type { MenuItem } from '../components/menu-items'
import { Section } from '../components/page'
import { DocumentRow } from './document-row'
import { ImportDialog } from './import-dialog'
import { RemoveDialog } from './remove-dialog'
import { RenameDialog } from './rename-dialog'

interface WorkspaceProps {
  readonly org: Org
  readonly workspace: Workspace
}

type Opened = 'access' | 'document' | 'import' | 'remove' | 'rename'

/** A workspace with its documents, pinned documents first. */
export function WorkspaceSection({ org, workspace }: WorkspaceProps): ReactNode {
  const [opened, setOpened] = useState<Opened>()
  const { name, access, docs } = workspace
  const canAdd = access === 'owners' || access === 'editors'
  return (
    <Section
      title={name}
      actions={
        <>
          {canAdd && (
            <>
              <Button aria-label={`New document in ${name}`} onClick={() => setOpened('document')}>
                New document
              </Button>
              <Button aria-label={`Import into ${name}`} onClick={() => setOpened('import')}>
                Import
              </Button>
            </>
          )}
          <Menu
            label={`More actions for workspace ${name}`}
            items={itemsOf(workspace, setOpened)}
          />
        </>
      }
    >
      {docs.length === 0 && (
        <p className="note">No documents yet.{canAdd && ' Create one, or import a file.'}</p>
      )}
      <ul className="rows">
        {docs.toSorted(pinnedFirst).map((document) => (
          <DocumentRow key={document.id} org={org} workspace={workspace} document={document} />
        ))}
      </ul>
      <WorkspaceDialog
        org={org}
        workspace={workspace}
        opened={opened}
        onClose={() => setOpened(undefined)}
      />
    </Section>
  )
}

const pinnedFirst = (a: DocumentSummary, b: DocumentSummary) =>
  Number(b.isPinned) - Number(a.isPinned)

function itemsOf({ access }: Workspace, open: (what: Opened) => void): MenuItem[] {
  const shown = { label: 'Access', onSelect: () => open('access') }
  if (access !== 'owners') return [shown]
  return [
    { label: 'Rename', onSelect: () => open('rename') },
    shown,
    { label: 'Move to trash', isDanger: true, onSelect: () => open('remove') },
  ]
}

interface WorkspaceDialogProps extends WorkspaceProps {
  readonly opened: Opened | undefined
  readonly onClose: () => void
}

function WorkspaceDialog({ org, workspace, opened, onClose }: WorkspaceDialogProps): ReactNode {
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
      return <ImportDialog workspace={workspace} onClose={onClose} />
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
