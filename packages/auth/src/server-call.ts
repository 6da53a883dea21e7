import type { ServerCall as RpcServerCall } from '@sheaf/kit/rpc/server-call'
import type { VerifiedCaller } from './caller-token'

/** The context of a call whose caller has been verified by a caller token. */
export type ServerCall = RpcServerCall<VerifiedCaller>
