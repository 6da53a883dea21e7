import { requireDocumentRole } from '@sheaf/auth/require-access'
import { AppError } from '@sheaf/kit/errors'
import type { ServerCall } from '@sheaf/auth/server-call'
import type { NeededRole } from '@sheaf/auth/roles'
import { currentTraceparent } from '@sheaf/kit/telemetry/telemetry'
import type { Context } from '../context'
import type { Author } from '../store/log/log'

/**
 * Throws `forbidden` unless the caller's token is for this document with this role, and `precondition` when the
 * document's home is another instance: a file is only ever written where directory says that it is.
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

/** Throws `precondition` when the home that a token names is another instance. */
export function requireHome({ home }: Pick<Context, 'home'>, named: string | undefined): void {
  if (named !== home)
    throw new AppError('precondition', 'WRONG_HOME', 'the document is stored on another instance')
}

/** The author of what a call writes. */
export function authorOf({ caller }: ServerCall): Author {
  return { userId: caller.userId, cause: 'api', traceparent: currentTraceparent() }
}
