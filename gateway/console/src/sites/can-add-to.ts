import type { Workspace } from '@sheaf/client'

/** True if the user can add documents to the workspace. */
export const canAddTo = ({ access }: Workspace): boolean =>
  access === 'owners' || access === 'editors'
