import { requireDocumentRole } from '@sheaf/auth/require-access'
import { AppError } from '@sheaf/kit/errors'
import type { ServerCall } from '@sheaf/auth/server-call'
import type { NeededRole } from '@sheaf/auth/roles'
import { currentTraceparent } from '@sheaf/kit/telemetry/telemetry'
import type { Context } from '../context'
import type { ReadCaller } from '../store/documents/record-reads'
import type { Author } from '../store/log/log'

/**
 * Throws `forbidden` unless the caller's token grants this role on this document, and `precondition` if the
 * document is placed on another instance: a file is only ever written where directory has placed it.
 */
export function requireDocument(
  ctx: Pick<Context, 'home'>,
  call: ServerCall,
  docId: string,
  need: NeededRole,
): void {
  requireDocumentRole(call, docId, need)
  requireHome(ctx, call.caller.home)
}

/** Throws `precondition` if the token names another instance as the home of the document. */
export function requireHome({ home }: Pick<Context, 'home'>, named: string | undefined): void {
  if (named !== home)
    throw new AppError('precondition', 'WRONG_HOME', 'the document is stored on another instance')
}

/** The caller of a read in the form that the document store expects. */
export function readerOf(call: ServerCall): ReadCaller {
  return new CallReader(call)
}

/** Leaves the signal of a call until a read needs it: a call creates it on first use. */
class CallReader implements ReadCaller {
  constructor(private readonly call: ServerCall) {}

  get signal(): AbortSignal {
    return this.call.signal
  }

  get userId(): number | undefined {
    const { system, userId } = this.call.caller
    return system ? undefined : userId
  }
}

/** Returns the author of the changes made by a call. */
export function authorOf({ caller }: ServerCall): Author {
  const { userId, keyId, name, email, role = '', anonymous: isAnonymous, system } = caller
  return {
    userId,
    keyId,
    cause: 'api',
    traceparent: currentTraceparent(),
    ...(!system && { person: { name, email, access: role, isAnonymous } }),
  }
}
