import { AppError } from '@sheaf/kit/errors'
import { keyScopeError } from './key-scope'
import type { ServerCall } from './server-call'
import { roleAtLeast, type NeededRole } from './roles'

const messages: Readonly<Record<NeededRole, string>> = {
  viewers: 'No view access',
  editors: 'No write access',
  owners: 'No owner access',
}

/** The error for a caller whose role on a document is too low. */
export function documentRoleError(need: NeededRole): AppError {
  return new AppError('forbidden', 'ACCESS_DENIED', messages[need])
}

/** Throws `forbidden` unless the caller is a process of Sheaf or its operator. */
export function requireSystem(call: ServerCall): void {
  if (!call.caller.system)
    throw new AppError('forbidden', 'SYSTEM_ONLY', 'only the system can call this method')
}

/** Throws `forbidden` for a key with caps, of a change that they cannot bound. */
export function requireNoCaps({ caller }: ServerCall): void {
  if (caller.scope?.caps) throw keyScopeError()
}

/**
 * Throws `forbidden` unless the caller's token is for this document and its role is sufficient. Directory has
 * already limited the role of a scoped key; keys that are read-only or have caps are checked here a second time.
 */
export function requireDocumentRole(call: ServerCall, docId: string, need: NeededRole): void {
  const { caller } = call
  const { readOnly = false, caps } = caller.scope ?? {}
  const isConfined = (readOnly && need !== 'viewers') || (caps !== undefined && need === 'owners')
  if (caller.docId === docId && isConfined) throw keyScopeError()
  if (caller.docId !== docId || !roleAtLeast(caller.role, need)) throw documentRoleError(need)
}

/**
 * Throws `forbidden` unless the caller's token is that of the key of this form, or of a sufficient role on its document.
 */
export function requireFormAccess(
  call: ServerCall,
  { docId, viewId }: { readonly docId: string; readonly viewId: number },
  need: NeededRole,
): void {
  const { docId: own, formViewId } = call.caller
  if (formViewId === undefined) return requireDocumentRole(call, docId, need)
  if (own !== docId || formViewId !== viewId) throw documentRoleError(need)
}
