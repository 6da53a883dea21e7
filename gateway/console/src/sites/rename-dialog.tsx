import type { ReactNode } from 'react'
import { orgsQuery } from '../api/resources'
import { sheaf } from '../api/sheaf'
import { useApiMutation } from '../components/use-api-mutation'
import { NameDialog } from '../components/overlays/dialog'

interface RenameDialogProps {
  readonly kind: 'document' | 'site' | 'workspace'
  /** Path in the API. */
  readonly path: string
  readonly name: string
  readonly onClose: () => void
}

/** Renames a site, workspace or document. */
export function RenameDialog({ kind, path, name, onClose }: RenameDialogProps): ReactNode {
  // A document includes the names of its workspace and site.
  const { mutate } = useApiMutation(orgsQuery.queryKey, ['workspaces'], ['document'])
  return (
    <NameDialog
      title={`Rename ${kind}`}
      submit="Rename"
      initial={name}
      onClose={onClose}
      onName={(newName) =>
        mutate(() => sheaf().request({ method: 'PATCH', path, json: { name: newName } }))
      }
    />
  )
}
