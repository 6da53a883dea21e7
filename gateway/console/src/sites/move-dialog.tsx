import type { DocumentSummary } from '@sheaf/client'
import { useQueries, useQuery } from '@tanstack/react-query'
import { useState, type ReactNode } from 'react'
import { docPath } from '../api/paths'
import { orgsQuery, workspacesQuery } from '../api/resources'
import { sheaf } from '../api/sheaf'
import { useApiMutation } from '../components/use-api-mutation'
import { FormDialog } from '../components/overlays/dialog'
import { SelectField } from '../components/field'
import { siteName } from './site-name'

interface MoveDialogProps {
  readonly document: DocumentSummary
  /** Its current workspace. */
  readonly workspaceId: number
  readonly onClose: () => void
}

/** Moves a document to another workspace of any site to which the user can add documents. */
export function MoveDialog({ document, workspaceId, onClose }: MoveDialogProps): ReactNode {
  const orgs = useQuery(orgsQuery).data ?? []
  const found = useQueries({ queries: orgs.map(({ id }) => workspacesQuery(String(id))) })
  const [target, setTarget] = useState('')
  const { mutate } = useApiMutation(['workspaces'], ['document'])
  const options = orgs.flatMap((org, index) =>
    (found[index]?.data ?? [])
      .filter(({ id, access }) => id !== workspaceId && access !== 'viewers' && access !== null)
      .map(({ id, name }) => [String(id), `${siteName(org)} / ${name}`] as const),
  )
  const move = () =>
    sheaf().request({
      method: 'PATCH',
      path: `${docPath(String(document.id))}/move`,
      json: { workspace: Number(target) },
    })
  return (
    <FormDialog
      title={`Move “${document.name}”`}
      submit="Move"
      canSubmit={target !== ''}
      onClose={onClose}
      onSubmit={() => mutate(move, 'Document moved.')}
    >
      <SelectField
        label="Workspace"
        hint="Users with access to that workspace gain access to the document."
        value={target}
        options={[['', 'Choose…'], ...options]}
        onChange={({ target: { value } }) => setTarget(value)}
      />
    </FormDialog>
  )
}
