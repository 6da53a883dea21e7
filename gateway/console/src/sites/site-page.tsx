import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState, type ReactNode } from 'react'
import { Link, useNavigate, useParams } from 'react-router'
import { AccessDialog } from '../access/access-dialog'
import { call } from '../api/client'
import { orgQuery, orgsQuery, workspacesQuery, type Org } from '../api/resources'
import { useChange } from '../api/use-change'
import { Button } from '../components/button'
import { ConfirmDialog, NameDialog } from '../components/dialog'
import { Menu, type MenuItem } from '../components/menu'
import { Page } from '../components/page'
import { Empty, ErrorState, Loading } from '../components/states'
import { useToaster } from '../components/toast'
import { RenameDialog } from './rename-dialog'
import { siteName } from './site-name'
import { WorkspaceSection } from './workspace-section'

type Opened = 'access' | 'delete' | 'rename' | 'workspace'

/** A site: its workspaces, and the documents in them. */
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
            <p>Workspaces hold documents. Make one to begin with.</p>
          </Empty>
        )}
        {workspaces.data.map((workspace) => (
          <WorkspaceSection key={workspace.id} org={org.data} workspace={workspace} />
        ))}
      </SiteFrame>
    )
  return (
    <Page title="Site" above={<Link to="/">Sites</Link>}>
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
  const [opened, setOpened] = useState<Opened>()
  const navigate = useNavigate()
  const canAdd = org.access === 'owners' || org.access === 'editors'
  return (
    <Page
      title={siteName(org)}
      above={<Link to="/">Sites</Link>}
      actions={
        <>
          {canAdd && (
            <Button kind="primary" onClick={() => setOpened('workspace')}>
              New workspace
            </Button>
          )}
          <Button onClick={() => setOpened('access')}>Access</Button>
          <Menu
            label={`More for ${org.name}`}
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

function ownerItems({ access, owner }: Org, open: (what: Opened) => void): MenuItem[] {
  if (access !== 'owners') return []
  const rename = { label: 'Rename', onSelect: () => open('rename') }
  // A personal site goes with its user.
  if (owner) return [rename]
  return [rename, { label: 'Delete site', isDanger: true, onSelect: () => open('delete') }]
}

interface SiteDialogProps {
  readonly org: Org
  readonly opened: Opened | undefined
  readonly onClose: () => void
}

function SiteDialog({ org, opened, onClose }: SiteDialogProps): ReactNode {
  const navigate = useNavigate()
  const path = `/api/orgs/${org.id}`
  const client = useQueryClient()
  const toaster = useToaster()
  const { make } = useChange(['workspaces'])
  const remove = async () => {
    await call('DELETE', `${path}/${encodeURIComponent(org.name)}`)
    // This page stands until the next one is there, and must not ask for what is gone.
    const gone = [orgsQuery.queryKey, ['workspaces']]
    for (const queryKey of gone) await client.invalidateQueries({ queryKey, refetchType: 'none' })
    toaster.tell('The site is deleted.')
    await navigate('/')
  }
  switch (opened) {
    case undefined:
      return null
    case 'access':
      return <AccessDialog kind="org" path={path} name={siteName(org)} onClose={onClose} />
    case 'workspace':
      return (
        <NameDialog
          title="New workspace"
          submit="Create workspace"
          onClose={onClose}
          onName={(name) => make(() => call('POST', `${path}/workspaces`, { body: { name } }))}
        />
      )
    case 'rename':
      return <RenameDialog kind="site" path={path} name={org.name} onClose={onClose} />
    case 'delete':
      return (
        <ConfirmDialog
          title={`Delete “${org.name}”?`}
          confirm="Delete site"
          typed={org.name}
          onClose={onClose}
          onConfirm={remove}
        >
          <p>All its workspaces and documents go with it, for everybody. It cannot be undone.</p>
        </ConfirmDialog>
      )
  }
}
