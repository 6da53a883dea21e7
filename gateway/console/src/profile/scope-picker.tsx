import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { orgsQuery, workspacesQuery, type Org, type Workspace } from '../api/resources'
import { CheckField } from '../components/field'
import { ErrorState, Loading } from '../components/states'
import { toggle } from '../components/toggle'
import { siteName } from '../sites/site-name'

/** Sites, workspaces and documents, by id. */
export interface ScopeSelection {
  readonly orgs: readonly number[]
  readonly workspaces: readonly number[]
  readonly docs: readonly number[]
}

/** Nothing chosen. */
export const emptySelection: ScopeSelection = { orgs: [], workspaces: [], docs: [] }

interface ScopePickerProps {
  readonly places: ScopeSelection
  readonly onChange: (places: ScopeSelection) => void
}

/** Lets the user choose among all that they have access to; what lies in something chosen is chosen with it. */
export function ScopePicker({ places, onChange }: ScopePickerProps): ReactNode {
  const { data, error, refetch } = useQuery(orgsQuery)
  if (error) return <ErrorState error={error} onRetry={() => void refetch()} />
  if (!data) return <Loading what="your sites" />
  return (
    <fieldset className="scope-tree">
      <legend>What it reaches</legend>
      {data.map((org) => (
        <SiteScope key={org.id} org={org} places={places} onChange={onChange} />
      ))}
    </fieldset>
  )
}

function SiteScope(props: ScopePickerProps & { readonly org: Org }): ReactNode {
  const { org, places, onChange } = props
  const { data } = useQuery(workspacesQuery(String(org.id)))
  const isChosen = places.orgs.includes(org.id)
  return (
    <>
      <CheckField
        label={<strong>{siteName(org)}</strong>}
        checked={isChosen}
        onChange={() => onChange({ ...places, orgs: toggle(places.orgs, org.id) })}
      />
      <div className="scope-level">
        {data?.map((workspace) => (
          <WorkspaceScope
            key={workspace.id}
            workspace={workspace}
            isCovered={isChosen}
            places={places}
            onChange={onChange}
          />
        ))}
      </div>
    </>
  )
}

function WorkspaceScope(
  props: ScopePickerProps & { readonly workspace: Workspace; readonly isCovered: boolean },
): ReactNode {
  const { workspace, isCovered, places, onChange } = props
  const isChosen = isCovered || places.workspaces.includes(workspace.id)
  return (
    <>
      <CheckField
        label={workspace.name}
        checked={isChosen}
        disabled={isCovered}
        onChange={() =>
          onChange({ ...places, workspaces: toggle(places.workspaces, workspace.id) })
        }
      />
      <div className="scope-level">
        {workspace.docs.map(({ id, name }) => (
          <CheckField
            key={id}
            label={name}
            checked={isChosen || places.docs.includes(id)}
            disabled={isChosen}
            onChange={() => onChange({ ...places, docs: toggle(places.docs, id) })}
          />
        ))}
      </div>
    </>
  )
}
