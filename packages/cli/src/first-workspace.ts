import { CliError } from './cli-error'
import type { RestClient } from './rest-client'

/** Returns the default workspace for new documents. */
export async function getFirstWorkspace(rest: RestClient): Promise<string> {
  const [first] = await rest.get<{ id: number }[]>('/api/orgs/current/workspaces')
  if (first) return String(first.id)
  throw new CliError('your site has no workspace: set one with --workspace')
}
