import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { orgsQuery, workspacesQuery, type Org, type Workspace } from '../api/resources'
import { CheckField } from '../components/field'
import { ErrorState, Loading } from '../components/states'
import { siteName } from '../sites/site-name'

/** Sites, workspaces and documents, by id. */
export interface Places {
  readonly orgs: readonly number[]
  readonly workspaces: readonly number[]
  readonly docs: readonly number[]
}

/** Nothing chosen. */
export const noPlaces: Places = { orgs: [], workspaces: [], docs: [] }

interface PlacePickerProps {
  readonly places: Places
  readonly onChange: (places: Places) => void
}

/** Lets the user choose among all that they have access to; what lies in something chosen is chosen with it. */
export function PlacePicker({ places, onChange }: PlacePickerProps): ReactNode {
  const { data, error, refetch } = useQuery(orgsQuery)
  if (error) return <ErrorState error={error} onRetry={() => void refetch()} />
  if (!data) return <Loading what="your sites" />
  return (
    <fieldset className="places">
      <legend>What it reaches</legend>
      {data.map((org) => (
        <OrgPlaces key={org.id} org={org} places={places} onChange={onChange} />
      ))}
    </fieldset>
  )
}

function OrgPlaces(props: PlacePickerProps & { readonly org: Org }): ReactNode {
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
      <div className="places-inside">
        {data?.map((workspace) => (
          <WorkspacePlaces
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

function WorkspacePlaces(
  props: PlacePickerProps & { readonly workspace: Workspace; readonly isCovered: boolean },
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
      <div className="places-inside">
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

function toggle(ids: readonly number[], id: number): readonly number[] {
  return ids.includes(id) ? ids.filter((other) => other !== id) : [...ids, id]
}
