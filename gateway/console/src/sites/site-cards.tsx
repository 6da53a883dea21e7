import type { Org } from '@sheaf/client'
import { useState, type ReactNode } from 'react'
import { Link } from 'react-router'
import { roleNames } from '../access/role-names'
import { orgsQuery } from '../api/resources'
import { sheaf } from '../api/sheaf'
import { useApiMutation } from '../components/use-api-mutation'
import { useLateNavigate } from '../components/use-late-navigate'
import { FormDialog } from '../components/overlays/dialog'
import { TextField } from '../components/field'
import { siteName } from './site-name'

/** The sites of the user, each with a link. */
export function SiteCards({ orgs }: { readonly orgs: readonly Org[] }): ReactNode {
  return (
    <ul className="cards">
      {orgs.map((org) => (
        <SiteCard key={org.id} org={org} />
      ))}
    </ul>
  )
}

function SiteCard({ org }: { readonly org: Org }): ReactNode {
  return (
    <li className="card">
      <Link className="card-link" to={`/sites/${org.id}`}>
        {siteName(org)}
      </Link>
      <p className="note">
        {org.owner ? 'Personal site' : `Team site · ${org.domain}`}
        {org.access && ` · ${roleNames[org.access]}`}
      </p>
    </li>
  )
}

/** Creates a team site, and opens it. */
export function NewSiteDialog({ onClose }: { readonly onClose: () => void }): ReactNode {
  const [name, setName] = useState('')
  const [domain, setDomain] = useState('')
  const navigate = useLateNavigate()
  const { mutate } = useApiMutation(orgsQuery.queryKey)
  const submit = async () => {
    const json = { name: name.trim(), domain: domain.trim() || undefined }
    const call = { method: 'POST', path: '/api/orgs', json } as const
    const id = await mutate(() => sheaf().request<number>(call), 'Site created.')
    await navigate(`/sites/${id}`)
  }
  return (
    <FormDialog
      title="New team site"
      submit="Create site"
      canSubmit={name.trim() !== ''}
      onClose={onClose}
      onSubmit={submit}
    >
      <TextField
        label="Name"
        value={name}
        required
        maxLength={256}
        onChange={({ target }) => setName(target.value)}
      />
      <TextField
        label="Subdomain"
        hint="Letters, digits and hyphens. Generated if left empty."
        value={domain}
        maxLength={63}
        onChange={({ target }) => setDomain(target.value)}
      />
    </FormDialog>
  )
}
