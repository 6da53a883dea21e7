import type { StatusObject } from '@grpc/grpc-js'
import { AppError } from '../errors'
import type { Logger } from '../logger'
import { encodeError } from './wire-errors'
import type { Authenticator, ServerCall } from './server-call'

/** Taken off the caller's deadline, so that the callee gives up first and can say so. */
const DEADLINE_MARGIN_MS = 20
/** Longest a unary call may take when its caller states no deadline. */
const DEFAULT_DEADLINE_MS = 60_000

/** A call as it came in, by whichever transport. */
export interface IncomingCall {
  /** What stands after `Bearer`; empty when there is no token. */
  readonly token: string
  readonly requestId: string
  /** When the caller stops waiting, epoch milliseconds; Infinity when it does not say. */
  readonly deadline: number
  readonly cancelled: boolean
  on(event: 'cancelled', listener: () => void): unknown
}

/** One call being served. The abort signal is made only when a handler asks for it. */
class IncomingServerCall implements ServerCall {
  private controller?: AbortController
  readonly requestId: string

  constructor(
    private readonly call: IncomingCall,
    readonly caller: unknown,
    readonly token: string,
    readonly deadline: number,
  ) {
    this.requestId = call.requestId
  }

  get signal(): AbortSignal {
    if (!this.controller) {
      this.controller = new AbortController()
      this.call.on('cancelled', () => this.end())
      if (this.call.cancelled) this.end()
    }
    return this.controller.signal
  }

  end(): void {
    this.controller?.abort(new AppError('unavailable', 'CANCELLED', 'request cancelled'))
  }
}

/** What all calls of one server share: checking callers and deadlines on the way in, errors on the way out. */
export class CallScope {
  private readonly openStreams = new Set<IncomingServerCall>()

  constructor(
    private readonly authenticator: Authenticator,
    private readonly log: Logger,
  ) {}

  /**
   * Admits a call, at once when its token is known. Throws or rejects: `unauthenticated` without a valid token,
   * `timeout` when it comes too late.
   */
  admit(call: IncomingCall, open: boolean): ServerCall | Promise<ServerCall> {
    const now = Date.now()
    const stated = call.deadline
    const deadline = stated === Infinity ? now + DEFAULT_DEADLINE_MS : stated - DEADLINE_MARGIN_MS
    if (deadline <= now) throw new AppError('timeout', 'DEADLINE_EXCEEDED', 'request timed out')
    if (open) return new IncomingServerCall(call, this.authenticator.anonymous, '', deadline)
    const { token } = call
    if (token === '')
      throw new AppError('unauthenticated', 'NO_CALLER_TOKEN', 'a caller token is required')
    const caller = this.authenticator.verify(token)
    if (!(caller instanceof Promise)) return new IncomingServerCall(call, caller, token, deadline)
    return caller.then((verified) => new IncomingServerCall(call, verified, token, deadline))
  }

  /** Runs the handler of a stream that may stay open for ever; its signal is aborted when the server stops. */
  async holdOpen(call: ServerCall, run: () => Promise<void>): Promise<void> {
    if (!(call instanceof IncomingServerCall)) return run()
    this.openStreams.add(call)
    try {
      await run()
    } finally {
      this.openStreams.delete(call)
    }
  }

  /** Asks the handlers of open streams to end. */
  endOpenStreams(): void {
    for (const call of this.openStreams) call.end()
  }

  /** The error as it goes over the wire; a bug is logged here, where it happened. */
  fail(error: unknown, path: string): StatusObject {
    const { status, isBug } = encodeError(error)
    if (isBug) this.log.error({ err: error, rpc: path }, 'call failed with an internal error')
    return status
  }
}
