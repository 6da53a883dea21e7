import type { Org, OrgRef } from '@sheaf/protos/sheaf/directory/v1/orgs'
import type { Workspace } from '@sheaf/protos/sheaf/directory/v1/workspaces'
import type { Exchange } from '../http/exchange'
import { toListedWorkspace } from '../schemas/workspaces'
import { toCachedJson } from './cached-json'

/** Which workspaces a caller asks about. */
interface ListingQuestion {
  readonly org: OrgRef
  /** True for the trash. */
  readonly removed: boolean
}

/** All sites that the caller has access to; the one addressed only, if the URL names one. */
export async function listOrgs(exchange: Exchange): Promise<Org[]> {
  const { orgs } = exchange.context.directory
  const found: Org[] = []
  let pageToken: string | undefined
  do {
    const page = await orgs.listOrgs({ site: exchange.site, pageToken }, exchange.call())
    found.push(...page.orgs)
    pageToken = page.nextPageToken
  } while (pageToken !== undefined)
  return found
}

/**
 * Resolves to the JSON of the workspaces of a site, with their documents, as the caller sees them. It is kept beneath the
 * access lease, as descriptions of documents are. directory does not announce additions, so it is asked whether there were
 * any. Throws as WorkspacesService.listWorkspaces.
 */
export async function listWorkspaces(
  exchange: Exchange,
  { org, removed }: ListingQuestion,
): Promise<Buffer> {
  const { listings, directory } = exchange.context
  const call = exchange.call()
  const key = `${call.token}|${removed}|${org.site}|${org.org}`
  const known = listings.find(key)
  const { version } = listings
  const request = { org, removed }
  const page = await directory.workspaces.listWorkspaces(
    { ...request, knownState: known?.state },
    call,
  )
  if (known && page.notModified) return known.json
  const { workspaces: found, state } = page
  let pageToken = page.nextPageToken
  const isWhole = pageToken === undefined
  while (pageToken !== undefined) {
    const next = await directory.workspaces.listWorkspaces({ ...request, pageToken }, call)
    append(found, next.workspaces)
    pageToken = next.nextPageToken
  }
  const json = toCachedJson(found.map(toListedWorkspace))
  if (isWhole && state !== undefined) listings.keep(key, { json, state }, version)
  return json
}

/** Adds a page. A workspace that fills a page continues in the next one. */
function append(found: Workspace[], page: readonly Workspace[]): void {
  for (const next of page) {
    const last = found.at(-1)
    if (last?.id === next.id) last.docs.push(...next.docs)
    else found.push(next)
  }
}
