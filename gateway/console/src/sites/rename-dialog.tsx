import type { ReactNode } from 'react'
import { call } from '../api/client'
import { orgsQuery } from '../api/resources'
import { useApiMutation } from '../components/use-api-mutation'
import { NameDialog } from '../components/dialog'

interface RenameDialogProps {
  readonly kind: 'document' | 'site' | 'workspace'
  /** Path in the API. */
  readonly path: string
  readonly name: string
  readonly onClose: () => void
}

/** Gives a site, a workspace or a document another name. */
export function RenameDialog({ kind, path, name, onClose }: RenameDialogProps): ReactNode {
  // A document tells the names of what it lies in, too.
  const { mutate } = useApiMutation(orgsQuery.queryKey, ['workspaces'], ['document'])
  return (
    <NameDialog
      title={`Rename ${kind}`}
      submit="Rename"
      initial={name}
      onClose={onClose}
      onName={(newName) => mutate(() => call('PATCH', path, { body: { name: newName } }))}
    />
  )
}
