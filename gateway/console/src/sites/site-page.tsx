import type { Org } from '@sheaf/client'
import { useQuery } from '@tanstack/react-query'
import { useState, type ReactNode } from 'react'
import { Link, useNavigate, useParams } from 'react-router'
import { orgQuery, workspacesQuery } from '../api/resources'
import { Button } from '../components/button'
import { Menu } from '../components/overlays/menu'
import type { MenuItem } from '../components/overlays/menu-items'
import { Page } from '../components/page'
import { Empty, ErrorState, Loading } from '../components/states'
import { FileDrop } from '../import/file-drop'
import { canAddTo } from './can-add-to'
import { SiteDialog, type SiteDialogName } from './site-dialog'
import { siteName } from './site-name'
import { WorkspaceSection } from './workspace-section'

/** A site: its workspaces and their documents. */
export function SitePage(): ReactNode {
  const { orgId = '' } = useParams()
  const org = useQuery(orgQuery(orgId))
  const workspaces = useQuery(workspacesQuery(orgId))
  const error = org.error ?? workspaces.error
  if (org.data && workspaces.data)
    return (
      <SiteFrame org={org.data}>
        {workspaces.data.length === 0 && (
          <Empty title="This site has no workspaces">
            <p>Workspaces contain documents. Create one to get started.</p>
          </Empty>
        )}
        {workspaces.data.map((workspace) => (
          <WorkspaceSection key={workspace.id} org={org.data} workspace={workspace} />
        ))}
        {workspaces.data.some(canAddTo) && (
          <FileDrop workspaces={workspaces.data.filter(canAddTo)} />
        )}
      </SiteFrame>
    )
  return (
    <Page title="Site" breadcrumb={<Link to="/">Home</Link>}>
      {error ? (
        <ErrorState
          error={error}
          onRetry={() => void Promise.all([org.refetch(), workspaces.refetch()])}
        />
      ) : (
        <Loading what="the site" />
      )}
    </Page>
  )
}

function SiteFrame(props: { readonly org: Org; readonly children: ReactNode }): ReactNode {
  const { org, children } = props
  const [opened, setOpened] = useState<SiteDialogName>()
  const navigate = useNavigate()
  const canAdd = org.access === 'owners' || org.access === 'editors'
  return (
    <Page
      title={siteName(org)}
      breadcrumb={<Link to="/">Home</Link>}
      actions={
        <>
          {canAdd && (
            <Button kind="primary" onClick={() => setOpened('workspace')}>
              New workspace
            </Button>
          )}
          <Button onClick={() => setOpened('access')}>Access</Button>
          <Menu
            label={`More actions for ${org.name}`}
            items={[
              { label: 'Trash', onSelect: () => void navigate(`/sites/${org.id}/trash`) },
              ...ownerItems(org, setOpened),
            ]}
          />
        </>
      }
    >
      {children}
      <SiteDialog org={org} opened={opened} onClose={() => setOpened(undefined)} />
    </Page>
  )
}

function ownerItems({ access, owner }: Org, open: (what: SiteDialogName) => void): MenuItem[] {
  if (access !== 'owners') return []
  const rename = { label: 'Rename', onSelect: () => open('rename') }
  // A personal site is deleted with its user.
  if (owner) return [rename]
  return [
    rename,
    { label: 'Change subdomain', onSelect: () => open('subdomain') },
    { label: 'Delete site', isDanger: true, onSelect: () => open('delete') },
  ]
}
