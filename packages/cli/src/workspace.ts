import type { Sheaf } from '@sheaf/client'
import { InvalidArgumentError } from 'commander'
import { CliError } from './cli-error'

/** Reads the id of a workspace from an option. */
export function readWorkspaceId(text: string): number {
  const id = Number(text)
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(id) || id < 1)
    throw new InvalidArgumentError('It must be the id of a workspace, a positive integer.')
  return id
}

/** Returns the default workspace for new documents. */
export async function getFirstWorkspace(sheaf: Sheaf): Promise<number> {
  const [first] = await sheaf.workspaces.list()
  if (first) return first.id
  throw new CliError('your site has no workspace: set one with --workspace')
}
