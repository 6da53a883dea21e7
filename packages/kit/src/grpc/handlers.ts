import type { Readable } from 'node:stream'
import {
  status as Status,
  type Metadata,
  type MethodDefinition,
  type ServerDuplexStream,
  type ServerReadableStream,
  type ServerUnaryCall,
  type ServerWritableStream,
  type UntypedHandleCall,
  type sendUnaryData,
} from '@grpc/grpc-js'
import { CallTelemetry } from '../telemetry/call-telemetry'
import type { CallScope, IncomingCall } from '../rpc/call-scope'
import type { HandlerMethod } from '../rpc/server-call'

const BEARER = 'Bearer '

type Method = MethodDefinition<unknown, unknown>

/** Adapts a method of a service interface to grpc-js, for each of the four kinds of RPC. */
export function createHandler(
  scope: CallScope,
  method: Method,
  handle: HandlerMethod,
  open: boolean,
): UntypedHandleCall {
  const { path } = method
  const answer = async (call: AnyCall, request: unknown) => {
    const admitted = scope.admit(new PlainCall(call), open)
    return handle(request, admitted instanceof Promise ? await admitted : admitted)
  }
  const fail = (error: unknown, telemetry: CallTelemetry) => {
    const failure = scope.fail(error, path)
    telemetry.end(failure.code)
    return failure
  }
  const reply = (call: AnyCall, request: unknown, callback: sendUnaryData<unknown>) => {
    const telemetry = telemetryOf(path, call)
    const answered = telemetry.run(() => answer(call, request))
    answered.then(
      (response) => {
        telemetry.end(Status.OK)
        callback(null, response)
      },
      (error: unknown) => callback(fail(error, telemetry)),
    )
  }
  const stream = (call: Sink, sendAll: () => Promise<void>) => {
    const telemetry = telemetryOf(path, call)
    telemetry.run(sendAll).then(
      () => telemetry.end(call.cancelled ? Status.CANCELLED : Status.OK),
      (error: unknown) => call.emit('error', fail(error, telemetry)),
    )
  }

  const unary = (call: ServerUnaryCall<unknown, unknown>, callback: sendUnaryData<unknown>) =>
    reply(call, call.request, callback)
  const clientStream = (
    call: ServerReadableStream<unknown, unknown>,
    callback: sendUnaryData<unknown>,
  ) => reply(call, messagesOf(call), callback)
  const serverStream = (call: ServerWritableStream<unknown, unknown>) =>
    stream(call, async () =>
      send(call, (await answer(call, call.request)) as AsyncIterable<unknown>),
    )
  const bidirectional = (call: ServerDuplexStream<unknown, unknown>) =>
    stream(call, async () => {
      const context = await scope.admit(new PlainCall(call), open)
      await scope.holdOpen(context, () =>
        send(call, handle(messagesOf(call), context) as AsyncIterable<unknown>),
      )
    })
  if (method.requestStream) return method.responseStream ? bidirectional : clientStream
  return method.responseStream ? serverStream : unary
}

type AnyCall =
  | ServerUnaryCall<unknown, unknown>
  | ServerReadableStream<unknown, unknown>
  | ServerWritableStream<unknown, unknown>

/** The common part of the four kinds of calls of grpc-js. */
interface PlainIncoming {
  readonly metadata: Metadata
  readonly cancelled: boolean
  getDeadline(): Date | number
  on(event: 'cancelled', listener: () => void): unknown
}

/** Adapts a call of grpc-js to `CallScope`. */
class PlainCall implements IncomingCall {
  constructor(private readonly call: PlainIncoming) {}

  get token(): string {
    const [header] = this.call.metadata.get('authorization')
    return typeof header === 'string' && header.startsWith(BEARER)
      ? header.slice(BEARER.length)
      : ''
  }

  get requestId(): string {
    const [id] = this.call.metadata.get('x-request-id')
    return typeof id === 'string' ? id : ''
  }

  get deadline(): number {
    const stated = this.call.getDeadline()
    return typeof stated === 'number' ? stated : stated.getTime()
  }

  get cancelled(): boolean {
    return this.call.cancelled
  }

  on(event: 'cancelled', listener: () => void): void {
    this.call.on(event, listener)
  }
}

function telemetryOf(path: string, { metadata }: Pick<PlainIncoming, 'metadata'>): CallTelemetry {
  const [traceparent] = metadata.get('traceparent')
  return new CallTelemetry(path, typeof traceparent === 'string' ? traceparent : '')
}

type Sink = ServerWritableStream<unknown, unknown> | ServerDuplexStream<unknown, unknown>

/** The caller's messages. A handler that stops reading because of an error must still be able to answer. */
function messagesOf(call: Pick<Readable, 'iterator'>): AsyncIterable<unknown> {
  return call.iterator({ destroyOnReturn: false })
}

/** Sends messages no faster than the caller reads them. Stops when the call is cancelled. */
async function send(call: Sink, messages: AsyncIterable<unknown>): Promise<void> {
  for await (const message of messages) {
    if (call.cancelled) return
    await write(call, message)
  }
  call.end()
}

/**
 * Resolves when a message has been written to the connection, or the call is cancelled. grpc-js itself accepts 16
 * messages of any length before its `write` returns false.
 */
function write(call: Sink, message: unknown): Promise<void> {
  return new Promise((resolve) => {
    const settle = () => {
      call.off('cancelled', settle)
      resolve()
    }
    call.once('cancelled', settle)
    call.write(message, settle)
  })
}
