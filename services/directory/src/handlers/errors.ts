import { AppError } from '@sheaf/kit/errors'
import type { ServerCall } from '@sheaf/auth/server-call'
import { ANONYMOUS_ID, EVERYONE_ID } from '../db/schema'

/** Returns the error for a caller whose role is insufficient. */
export const accessDenied = (): AppError =>
  new AppError('forbidden', 'ACCESS_DENIED', 'access denied')

/** Returns the error for a document that does not exist, or not on the addressed site. */
export const documentNotFound = (): AppError =>
  new AppError('not_found', 'DOCUMENT_NOT_FOUND', 'document not found')

/** Returns the error for a document that was not deleted permanently, or is not kept any more. */
export const deletedNotFound = (): AppError =>
  new AppError(
    'not_found',
    'DELETED_DOCUMENT_NOT_FOUND',
    'no such document was deleted, or it is not kept any more',
  )

/** Returns the error for the contents of a document that is, or whose workspace is, in the trash. */
export const documentInTrash = (): AppError =>
  new AppError('not_found', 'DOCUMENT_IN_TRASH', 'Document is deleted')

/** Returns the error for a new resource in a workspace that is in the trash. */
export const workspaceInTrash = (): AppError =>
  new AppError('invalid', 'WORKSPACE_IN_TRASH', 'Cannot add document to a deleted workspace', {
    field: 'workspace',
  })

/** Returns the error for a key of no form that can be used; it does not tell why. */
export const formNotFound = (): AppError =>
  new AppError('not_found', 'FORM_NOT_FOUND', 'form not found')

/** Returns the error for a workspace that does not exist. */
export const workspaceNotFound = (): AppError =>
  new AppError('not_found', 'WORKSPACE_NOT_FOUND', 'workspace not found')

/** Returns the error for an org that does not exist. */
export const orgNotFound = (): AppError =>
  new AppError('not_found', 'ORG_NOT_FOUND', 'organization not found')

/** Returns the error for a user who does not exist. */
export const userNotFound = (): AppError =>
  new AppError('not_found', 'USER_NOT_FOUND', 'user not found')

/**
 * Returns the id of the calling user, anonymous or not. Throws `forbidden` for a system caller, which owns
 * and sees nothing.
 */
export function requireUser({ caller }: ServerCall): number {
  if (caller.system || caller.userId < 1)
    throw new AppError('forbidden', 'USERS_ONLY', 'only users can call this method')
  return caller.userId
}

/** Returns the id of the calling user. Throws `unauthenticated` for the anonymous user. */
export function requireSignedIn(call: ServerCall): number {
  const userId = requireUser(call)
  if (isPublicUser(userId))
    throw new AppError('unauthenticated', 'SIGN_IN_NEEDED', 'authentication required')
  return userId
}

/** True for the users that represent the public; they never become owners. */
export function isPublicUser(userId: number): boolean {
  return userId === ANONYMOUS_ID || userId === EVERYONE_ID
}
