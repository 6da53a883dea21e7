import { Metadata, status as Status, type MethodDefinition, type StatusObject } from '@grpc/grpc-js'
import type { Call } from '@sheaf/protos/sheaf/transport/v1/transport'
import { countCall, noteBegin } from '../telemetry/call-metrics'
import type { CallSpan } from '../telemetry/call-span'
import type { CallScope, IncomingCall } from '../rpc/call-scope'
import type { HandlerMethod } from '../rpc/server-call'
import { PART, SHORT, WINDOW } from './limits'
import type { Lane, QueuedReply, ReplyQueue } from './reply-queue'

/** A method that is served on the stream. */
export interface TransportRoute {
  readonly method: MethodDefinition<unknown, unknown>
  readonly handle: HandlerMethod
  /** True when it needs no caller token. */
  readonly open: boolean
}

/** What the calls of one stream share. */
export interface CallHost {
  readonly scope: CallScope
  readonly queue: ReplyQueue
  /** Calls that wait for room in the queue, in order of waiting. */
  readonly waiting: Set<ServedCall>
  /** Called once for each call that has ended. */
  forget(call: ServedCall): void
}

/** The status of a call that reached no handler, as grpc-js itself would answer it. */
export const bareStatus = (code: Status, details: string): StatusObject => ({
  code,
  details,
  metadata: new Metadata(),
})

/** One call of a stream on the server's side. */
export class ServedCall implements IncomingCall {
  readonly id: number
  readonly token: string
  readonly requestId: string
  /** Length of its request. */
  readonly bytes: number
  /** Path of an existing RPC. */
  private readonly path: string
  cancelled = false
  /** Bytes that may still be sent; negative when the last part exceeded the remaining credit. */
  private credit = WINDOW
  /** True once it has its outcome or is abandoned. */
  private isOver = false
  private readonly begun = noteBegin()
  /** Whether its answer still consists of short messages, and whether any was sent. */
  private lane: Lane = 'short'
  private hasSent = false
  private onCancelled?: () => void
  private wake?: () => void

  constructor(
    private readonly host: CallHost,
    frame: Call,
    readonly deadline: number,
    private readonly span: CallSpan | undefined,
  ) {
    this.id = frame.id
    this.token = frame.token
    this.requestId = frame.requestId
    this.bytes = frame.payload.length
    this.path = frame.path
  }

  on(_event: 'cancelled', listener: () => void): void {
    this.onCancelled = listener
  }

  /** Decodes the request and runs its handler. */
  serve(route: TransportRoute, payload: Buffer): void {
    const { method, handle } = route
    let request: unknown
    try {
      request = method.requestDeserialize(payload)
    } catch {
      return this.failWith(bareStatus(Status.INTERNAL, 'failed to decode the request'))
    }
    try {
      const admitted = this.host.scope.admit(this, route.open)
      const answer =
        admitted instanceof Promise
          ? admitted.then((context) => handle(request, context))
          : handle(request, admitted)
      const sent = method.responseStream
        ? this.sendAll(method, answer as AsyncIterable<unknown> | Promise<AsyncIterable<unknown>>)
        : Promise.resolve(answer).then((response) => this.sendOne(method, response))
      sent.catch((error: unknown) => this.fail(error, method.path))
    } catch (error) {
      this.fail(error, method.path)
    }
  }

  /** Aborts the handler's signal; the outcome is discarded. */
  cancel(): void {
    if (this.isOver) return
    this.finish(Status.CANCELLED)
    this.abandon()
  }

  /** Fails the call because its deadline has passed. */
  expire(): void {
    if (this.isOver) return
    this.failWith(bareStatus(Status.DEADLINE_EXCEEDED, 'Deadline exceeded'))
    this.abandon()
  }

  /** Allows the answer to send so many more bytes. */
  addCredit(bytes: number): void {
    this.credit += bytes
    this.resume()
  }

  /** Makes a paused answer check again for room. */
  resume(): void {
    const { wake } = this
    this.wake = undefined
    wake?.()
  }

  private abandon(): void {
    this.cancelled = true
    this.onCancelled?.()
    this.resume()
  }

  private sendOne(method: TransportRoute['method'], response: unknown): void | Promise<void> {
    if (this.isOver) return
    const bytes = method.responseSerialize(response)
    if (bytes.length > PART) return this.send(bytes).then(() => this.finish(Status.OK))
    this.sendPart(bytes, { isPaced: false, continues: false })
    this.finish(Status.OK)
  }

  private async sendAll(
    method: TransportRoute['method'],
    answer: AsyncIterable<unknown> | Promise<AsyncIterable<unknown>>,
  ): Promise<void> {
    const messages = answer instanceof Promise ? await answer : answer
    for await (const message of messages) {
      if (this.isOver) return
      const bytes = method.responseSerialize(message)
      // A short answer is not held back by long ones.
      const mayPass = bytes.length <= SHORT && !this.hasSent
      if (mayPass || (bytes.length <= PART && this.hasRoom))
        this.sendPart(bytes, { isPaced: !mayPass, continues: false })
      else await this.send(bytes)
      if (this.isOver) return
    }
    if (this.isOver) return
    this.host.queue.complete(this.id)
    this.finish(Status.OK)
  }

  /** Sends a message, in parts when it is long, no faster than the client grants credit. */
  private async send(bytes: Buffer): Promise<void> {
    let start = 0
    do {
      while (!this.isOver && !this.hasRoom) await this.pause()
      if (this.isOver) return
      const end = Math.min(start + PART, bytes.length)
      const continues = end < bytes.length
      this.sendPart(bytes.subarray(start, end), { isPaced: true, continues })
      start = end
    } while (start < bytes.length)
  }

  private get hasRoom(): boolean {
    return this.credit > 0 && this.host.queue.hasRoom
  }

  private sendPart(
    payload: Buffer,
    { isPaced, continues }: Pick<QueuedReply, 'isPaced' | 'continues'>,
  ): void {
    this.credit -= payload.length
    this.hasSent = true
    if (continues || payload.length > SHORT) this.lane = 'long'
    this.host.queue.reply(this.lane, { id: this.id, payload, continues, isPaced })
  }

  private pause(): Promise<void> {
    if (!this.host.queue.hasRoom) this.host.waiting.add(this)
    return new Promise((resolve) => (this.wake = resolve))
  }

  private fail(error: unknown, path: string): void {
    const status = this.host.scope.fail(error, path)
    if (!this.isOver) this.failWith(status)
  }

  private failWith(status: StatusObject): void {
    this.host.queue.fail(this.id, status)
    this.finish(status.code)
  }

  private finish(status: Status): void {
    if (this.isOver) return
    this.isOver = true
    this.span?.end(status)
    countCall(this.path, status, this.begun)
    this.host.forget(this)
  }
}
