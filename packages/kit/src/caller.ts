import { AppError } from './errors'
import type { ServerCall } from './server-call'
import { roleAtLeast, type NeededRole } from './roles'

const refusals: Readonly<Record<NeededRole, string>> = {
  viewers: 'No view access',
  editors: 'No write access',
  owners: 'No owner access',
}

/** The error for a caller whose role on a document is too low. */
export function documentRoleError(need: NeededRole): AppError {
  return new AppError('forbidden', 'ACCESS_DENIED', refusals[need])
}

/** Throws `forbidden` unless the caller is a process of Sheaf itself or its operator. */
export function requireSystem(call: ServerCall): void {
  if (!call.caller.system)
    throw new AppError('forbidden', 'SYSTEM_ONLY', 'only Sheaf itself may call this')
}

/** Throws `forbidden` unless the caller's token is for this document and its role is high enough. */
export function requireDocumentRole(call: ServerCall, docId: string, need: NeededRole): void {
  const { caller } = call
  if (caller.docId !== docId || !roleAtLeast(caller.role, need)) throw documentRoleError(need)
}
