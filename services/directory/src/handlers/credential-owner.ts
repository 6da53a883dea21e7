import type { ServerCall } from '@sheaf/auth/server-call'
import { accessDenied, requireSignedIn, userNotFound } from './errors'
import { isRowId } from './workspaces'

/** Whose keys and sessions a caller may touch; undefined for a system caller, who may touch all. Throws `forbidden`. */
export function credentialOwner(call: ServerCall): number | undefined {
  if (call.caller.system) return undefined
  // A token made for one document travels to other services, which have no business with credentials.
  if (call.caller.docId !== undefined) throw accessDenied()
  return requireSignedIn(call)
}

/**
 * The user whose keys or sessions are meant, 0 being the caller. Throws `forbidden` when they are somebody else's,
 * `not_found` for what is no user.
 */
export function requireCredentialOwner(call: ServerCall, given: number): number {
  const owner = credentialOwner(call)
  const userId = given === 0 ? (owner ?? 0) : given
  if (owner !== undefined && owner !== userId) throw accessDenied()
  if (!isRowId(userId)) throw userNotFound()
  return userId
}
