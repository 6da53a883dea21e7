import type { Org, Workspace } from '@sheaf/client'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { orgsQuery, workspacesQuery } from '../api/resources'
import { CheckField } from '../components/field'
import { ErrorState, Loading } from '../components/states'
import { toggle } from '../components/toggle'
import { siteName } from '../sites/site-name'

/** Selected sites, workspaces and documents, by id. */
export interface ScopeSelection {
  readonly orgs: readonly number[]
  readonly workspaces: readonly number[]
  readonly docs: readonly number[]
}

/** Nothing selected. */
export const emptySelection: ScopeSelection = { orgs: [], workspaces: [], docs: [] }

interface ScopePickerProps {
  readonly selection: ScopeSelection
  readonly onChange: (selection: ScopeSelection) => void
}

/** Selects among the resources of the user. Selecting a site or workspace includes its contents. */
export function ScopePicker({ selection, onChange }: ScopePickerProps): ReactNode {
  const { data, error, refetch } = useQuery(orgsQuery)
  if (error) return <ErrorState error={error} onRetry={() => void refetch()} />
  if (!data) return <Loading what="your sites" />
  return (
    <fieldset className="scope-tree">
      <legend>Access</legend>
      {data.map((org) => (
        <SiteScope key={org.id} org={org} selection={selection} onChange={onChange} />
      ))}
    </fieldset>
  )
}

function SiteScope(props: ScopePickerProps & { readonly org: Org }): ReactNode {
  const { org, selection, onChange } = props
  const { data } = useQuery(workspacesQuery(String(org.id)))
  const isSelected = selection.orgs.includes(org.id)
  return (
    <>
      <CheckField
        label={<strong>{siteName(org)}</strong>}
        checked={isSelected}
        onChange={() => onChange({ ...selection, orgs: toggle(selection.orgs, org.id) })}
      />
      <div className="scope-level">
        {data?.map((workspace) => (
          <WorkspaceScope
            key={workspace.id}
            workspace={workspace}
            isIncluded={isSelected}
            selection={selection}
            onChange={onChange}
          />
        ))}
      </div>
    </>
  )
}

function WorkspaceScope(
  props: ScopePickerProps & { readonly workspace: Workspace; readonly isIncluded: boolean },
): ReactNode {
  const { workspace, isIncluded, selection, onChange } = props
  const isSelected = isIncluded || selection.workspaces.includes(workspace.id)
  return (
    <>
      <CheckField
        label={workspace.name}
        checked={isSelected}
        disabled={isIncluded}
        onChange={() =>
          onChange({ ...selection, workspaces: toggle(selection.workspaces, workspace.id) })
        }
      />
      <div className="scope-level">
        {workspace.docs.map(({ id, name }) => (
          <CheckField
            key={id}
            label={name}
            checked={isSelected || selection.docs.includes(id)}
            disabled={isSelected}
            onChange={() => onChange({ ...selection, docs: toggle(selection.docs, id) })}
          />
        ))}
      </div>
    </>
  )
}
