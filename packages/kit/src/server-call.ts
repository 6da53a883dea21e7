import type { CallContext } from '@sheaf/protos/call'
import type { VerifiedCaller } from './caller-token'

/** What a handler knows of the call it serves, besides the request. */
export interface ServerCall extends CallContext {
  /** Who calls: the verified claims of the caller token. Nobody in particular for RPCs that are open. */
  readonly caller: VerifiedCaller
  /** The caller token itself, to be sent along; empty for RPCs that are open. */
  readonly token: string
  /** Aborted when the caller has gone away, its deadline has passed, or the server stops. */
  readonly signal: AbortSignal
  /** When the answer must be there, epoch milliseconds. */
  readonly deadline: number
  /** Id of the REST request that caused the call; empty when there was none. */
  readonly requestId: string
}
