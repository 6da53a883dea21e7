import type { CallContext } from '@sheaf/protos/call'

/** The context of the call that a handler serves. `Caller` is what the server's authenticator makes of a token. */
export interface ServerCall<Caller = unknown> extends CallContext {
  /** The verified caller; the authenticator's anonymous caller for RPCs that need no token. */
  readonly caller: Caller
  /** The bearer token itself, for calls on behalf of the caller; empty for RPCs that need no token. */
  readonly token: string
  /** Aborted when the caller disconnects, the deadline passes, or the server stops. */
  readonly signal: AbortSignal
  /** Latest time of the response, in epoch milliseconds. */
  readonly deadline: number
  /** Id of the REST request that caused the call; empty when there was none. */
  readonly requestId: string
}

/** A method of a generated service interface: takes a message or a stream, returns a promise or a stream. */
export type HandlerMethod = (request: unknown, call: ServerCall) => unknown

/** Verifies the bearer tokens of incoming calls. */
export interface Authenticator<Caller = unknown> {
  /** The caller of RPCs that need no token. */
  readonly anonymous: Caller
  /** Returns the caller that a token names. Throws AppError `unauthenticated` for a token that is not valid now. */
  verify(token: string): Caller | Promise<Caller>
}
