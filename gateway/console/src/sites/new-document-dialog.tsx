import type { Workspace } from '@sheaf/client'
import { useState, type ReactNode } from 'react'
import { sheaf } from '../api/sheaf'
import { NameDialog } from '../components/overlays/dialog'
import { SelectField } from '../components/field'
import { useApiMutation } from '../components/use-api-mutation'
import { useLateNavigate } from '../components/use-late-navigate'

interface NewDocumentDialogProps {
  /** Where the document can go, at least one workspace, with the name by which the user knows it on the page. */
  readonly workspaces: readonly Pick<Workspace, 'id' | 'name'>[]
  readonly onClose: () => void
}

/** Creates a document, and opens it. */
export function NewDocumentDialog({ workspaces, onClose }: NewDocumentDialogProps): ReactNode {
  const [only, ...others] = workspaces
  const [chosen, setChosen] = useState(only?.id ?? 0)
  const navigate = useLateNavigate()
  const { mutate } = useApiMutation(['workspaces'])
  const create = async (name: string) => {
    const doc = await mutate(() => sheaf().documents.create({ workspaceId: chosen, name }))
    await navigate(`/docs/${doc.id}`)
  }
  return (
    <NameDialog
      title={others.length > 0 ? 'New document' : `New document in “${only?.name ?? ''}”`}
      submit="Create document"
      onClose={onClose}
      onName={create}
    >
      {others.length > 0 && (
        <SelectField
          label="Workspace"
          value={String(chosen)}
          options={workspaces.map(({ id, name }) => [String(id), name] as const)}
          onChange={({ target }) => setChosen(Number(target.value))}
        />
      )}
    </NameDialog>
  )
}
