import type { StatusObject } from '@grpc/grpc-js'
import { AppError } from '../errors'
import type { Logger } from '../logger'
import { encodeError } from './wire-errors'
import type { Authenticator, ServerCall } from './server-call'

/** Subtracted from the caller's deadline, so that the callee times out first and can report it. */
const DEADLINE_MARGIN_MS = 20
/** Longest a unary call may take when its caller states no deadline. */
const DEFAULT_DEADLINE_MS = 60_000

/** An incoming call, over either transport. */
export interface IncomingCall {
  /** The bearer token; empty when there is none. */
  readonly token: string
  readonly requestId: string
  /** When the caller stops waiting, epoch milliseconds; Infinity when it states no deadline. */
  readonly deadline: number
  readonly cancelled: boolean
  on(event: 'cancelled', listener: () => void): unknown
}

/** One call being served. The abort signal is created only when a handler reads it. */
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

/** Shared by all calls of one server: checks callers and deadlines of requests, and encodes errors of responses. */
export class CallScope {
  private readonly openStreams = new Set<IncomingServerCall>()

  constructor(
    private readonly authenticator: Authenticator,
    private readonly log: Logger,
  ) {}

  /**
   * Admits a call, synchronously when its token has been verified before. Throws or rejects: `unauthenticated` without a
   * valid token, `timeout` after its deadline.
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

  /** Runs the handler of a stream of unlimited duration; its signal is aborted when the server stops. */
  async holdOpen(call: ServerCall, run: () => Promise<void>): Promise<void> {
    if (!(call instanceof IncomingServerCall)) return run()
    this.openStreams.add(call)
    try {
      await run()
    } finally {
      this.openStreams.delete(call)
    }
  }

  /** Aborts the signals of the handlers of open streams. */
  endOpenStreams(): void {
    for (const call of this.openStreams) call.end()
  }

  /** Encodes an error for the wire. Logs it first if it is a bug. */
  fail(error: unknown, path: string): StatusObject {
    const { status, isBug } = encodeError(error)
    if (isBug) this.log.error({ err: error, rpc: path }, 'call failed with an internal error')
    return status
  }
}
