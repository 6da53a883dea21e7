import type { DocumentSummary, Org, Workspace } from '@sheaf/client'
import { useState, type ReactNode } from 'react'
import { Button } from '../components/button'
import { Menu } from '../components/overlays/menu'
import type { MenuItem } from '../components/overlays/menu-items'
import { Section } from '../components/page'
import { SampleButton } from '../sample/sample-button'
import { canAddTo } from './can-add-to'
import { DocumentRow } from './document-row'
import { WorkspaceDialog, type WorkspaceDialogName } from './workspace-dialog'

interface WorkspaceProps {
  readonly org: Org
  readonly workspace: Workspace
}

/** A workspace with its documents, pinned documents first. */
export function WorkspaceSection({ org, workspace }: WorkspaceProps): ReactNode {
  const [opened, setOpened] = useState<WorkspaceDialogName>()
  const { name, docs } = workspace
  const canAdd = canAddTo(workspace)
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
        <p className="note">
          No documents yet.{canAdd && ' Create one, or drop a file here to import it.'}
        </p>
      )}
      {docs.length === 0 && canAdd && <SampleButton workspaceId={workspace.id} />}
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

function itemsOf({ access }: Workspace, open: (what: WorkspaceDialogName) => void): MenuItem[] {
  const shown = { label: 'Access', onSelect: () => open('access') }
  if (access !== 'owners') return [shown]
  return [
    { label: 'Rename', onSelect: () => open('rename') },
    shown,
    { label: 'Move to trash', isDanger: true, onSelect: () => open('remove') },
  ]
}
