import type { KeyScope } from '@sheaf/auth/key-scope'

/** Maximum number of places in one scope: it is part of every token of its key. */
export const MAX_PLACES = 50

/** The location of a resource: an org, a workspace in it, or a document in that. */
export interface Place {
  readonly orgId: number
  readonly workspaceId?: number
  readonly docId?: string
}

/** True when the scope is restricted to the places that it names. */
export function namesPlaces({ orgs, workspaces, documents }: KeyScope): boolean {
  return orgs.length + workspaces.length + documents.length > 0
}

/** True when the scope includes the place with everything inside. */
export function isWithin(scope: KeyScope, { orgId, workspaceId, docId }: Place): boolean {
  if (!namesPlaces(scope) || scope.orgs.includes(orgId)) return true
  if (workspaceId !== undefined && scope.workspaces.includes(workspaceId)) return true
  return docId !== undefined && scope.documents.includes(docId)
}
