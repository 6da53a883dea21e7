import { AppError } from '@sheaf/kit/errors'
import type { KeyScope } from '@sheaf/auth/key-scope'

/** Most places that one scope can name: it travels in every token of its key. */
export const MAX_PLACES = 50

/** Where something is: an org, a workspace of it, or a document of that. */
export interface Place {
  readonly orgId: number
  readonly workspaceId?: number
  readonly docId?: string
}

/** The error for what lies outside the scope of the caller's key. */
export const outOfScope = (): AppError =>
  new AppError('forbidden', 'KEY_SCOPE', 'the scope of the API key does not allow this')

/** True when the scope reaches nothing but the places that it names. */
export function namesPlaces({ orgs, workspaces, documents }: KeyScope): boolean {
  return orgs.length + workspaces.length + documents.length > 0
}

/** True when a place is in the scope with all that is inside it. */
export function isWithin(scope: KeyScope, { orgId, workspaceId, docId }: Place): boolean {
  if (!namesPlaces(scope) || scope.orgs.includes(orgId)) return true
  if (workspaceId !== undefined && scope.workspaces.includes(workspaceId)) return true
  return docId !== undefined && scope.documents.includes(docId)
}
