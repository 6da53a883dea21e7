import type { ServerCall } from '@sheaf/auth/server-call'
import { accessDenied, requireSignedIn, userNotFound } from './errors'
import { isRowId } from './workspaces'

/**
 * Returns the user whose keys and sessions a caller may manage; undefined for a system caller, who may manage
 * all. Throws `forbidden`.
 */
export function credentialOwner(call: ServerCall): number | undefined {
  if (call.caller.system) return undefined
  // A token for one document is also sent to other services, which must not manage credentials.
  if (call.caller.docId !== undefined) throw accessDenied()
  return requireSignedIn(call)
}

/**
 * Returns the user whose keys or sessions are addressed; 0 is the caller. Throws `forbidden` for another
 * user, `not_found` for an invalid id.
 */
export function requireCredentialOwner(call: ServerCall, given: number): number {
  const owner = credentialOwner(call)
  const userId = given === 0 ? (owner ?? 0) : given
  if (owner !== undefined && owner !== userId) throw accessDenied()
  if (!isRowId(userId)) throw userNotFound()
  return userId
}
