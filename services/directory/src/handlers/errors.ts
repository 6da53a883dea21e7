import { AppError } from '@sheaf/kit/errors'
import type { ServerCall } from '@sheaf/auth/server-call'
import { ANONYMOUS_ID, EVERYONE_ID } from '../db/schema'

/** The error for a caller whose role is too low. */
export const accessDenied = (): AppError =>
  new AppError('forbidden', 'ACCESS_DENIED', 'access denied')

/** The error for a document that does not exist, or not on the site addressed. */
export const documentNotFound = (): AppError =>
  new AppError('not_found', 'DOCUMENT_NOT_FOUND', 'document not found')

/** The error for the contents of a document that is in the trash, or whose workspace is. */
export const documentInTrash = (): AppError =>
  new AppError('not_found', 'DOCUMENT_IN_TRASH', 'Document is deleted')

/** The error for something new in a workspace that is in the trash. */
export const workspaceInTrash = (): AppError =>
  new AppError('invalid', 'WORKSPACE_IN_TRASH', 'Cannot add document to a deleted workspace', {
    field: 'workspace',
  })

/** The error for a workspace that does not exist. */
export const workspaceNotFound = (): AppError =>
  new AppError('not_found', 'WORKSPACE_NOT_FOUND', 'workspace not found')

/** The error for an org that does not exist. */
export const orgNotFound = (): AppError =>
  new AppError('not_found', 'ORG_NOT_FOUND', 'organization not found')

/** The error for a user who does not exist. */
export const userNotFound = (): AppError =>
  new AppError('not_found', 'USER_NOT_FOUND', 'user not found')

/** Id of the calling user, anonymous or not. Throws `forbidden` for a system caller, who owns and sees nothing. */
export function requireUser({ caller }: ServerCall): number {
  if (caller.system || caller.userId < 1)
    throw new AppError('forbidden', 'USERS_ONLY', 'only users can call this method')
  return caller.userId
}

/** Id of the calling user. Throws `unauthenticated` for the anonymous user. */
export function requireSignedIn(call: ServerCall): number {
  const userId = requireUser(call)
  if (isPublicUser(userId))
    throw new AppError('unauthenticated', 'SIGN_IN_NEEDED', 'authentication required')
  return userId
}

/** True for the users that stand for the public; they never become owners. */
export function isPublicUser(userId: number): boolean {
  return userId === ANONYMOUS_ID || userId === EVERYONE_ID
}
