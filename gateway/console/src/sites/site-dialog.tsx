import type { Org } from '@sheaf/client'
import { useQueryClient } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useHref, useNavigate } from 'react-router'
import { AccessDialog } from '../access/access-dialog'
import { orgsQuery } from '../api/resources'
import { sheaf } from '../api/sheaf'
import { useApiMutation } from '../components/use-api-mutation'
import { ConfirmDialog, NameDialog } from '../components/overlays/dialog'
import { useToaster } from '../components/toast'
import { RenameDialog } from './rename-dialog'
import { siteName } from './site-name'
import { SubdomainDialog } from './subdomain-dialog'

/** A dialog of a site. */
export type SiteDialogName = 'access' | 'delete' | 'rename' | 'subdomain' | 'workspace'

interface SiteDialogProps {
  readonly org: Org
  readonly opened: SiteDialogName | undefined
  readonly onClose: () => void
}

/** The open dialog of a site, if any. */
export function SiteDialog({ org, opened, onClose }: SiteDialogProps): ReactNode {
  const navigate = useNavigate()
  const href = useHref(`/sites/${org.id}`)
  const path = `/api/orgs/${org.id}`
  const client = useQueryClient()
  const toaster = useToaster()
  const { mutate } = useApiMutation(['workspaces'])
  const remove = async () => {
    await sheaf().request({ method: 'DELETE', path: `${path}/${encodeURIComponent(org.name)}` })
    // This page stays mounted until the next one is shown, and must not refetch the deleted site.
    const affected = [orgsQuery.queryKey, ['workspaces']]
    for (const queryKey of affected)
      await client.invalidateQueries({ queryKey, refetchType: 'none' })
    // Home reads the documents of all known sites.
    client.setQueryData(orgsQuery.queryKey, (known) => known?.filter(({ id }) => id !== org.id))
    toaster.show('Site deleted.')
    // A page of the site may be shown although the dialog was closed, and another page although it was shown.
    const { pathname } = window.location
    if (pathname === href || pathname.startsWith(`${href}/`)) await navigate('/')
  }
  switch (opened) {
    case undefined:
      return null
    case 'access':
      return (
        <AccessDialog
          place={{
            kind: 'org',
            path,
            name: siteName(org),
            page: `/sites/${org.id}`,
            orgId: org.id,
          }}
          onClose={onClose}
        />
      )
    case 'workspace':
      return (
        <NameDialog
          title="New workspace"
          submit="Create workspace"
          onClose={onClose}
          onName={(name) => mutate(() => sheaf().workspaces.create(name, { org: org.id }))}
        />
      )
    case 'rename':
      return <RenameDialog kind="site" path={path} name={org.name} onClose={onClose} />
    case 'subdomain':
      return <SubdomainDialog org={org} onClose={onClose} />
    case 'delete':
      return (
        <ConfirmDialog
          title={`Delete “${org.name}”?`}
          confirm="Delete site"
          typed={org.name}
          onClose={onClose}
          onConfirm={remove}
        >
          <p>
            All of its workspaces and documents are deleted for all users. This cannot be undone.
          </p>
        </ConfirmDialog>
      )
  }
}
