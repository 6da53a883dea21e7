import { Metadata, status as Status, type ServerDuplexStream } from '@grpc/grpc-js'
import type {
  Call,
  ExchangeRequest,
  ExchangeResponse,
} from '@sheaf/protos/sheaf/transport/v1/transport'
import { CallSpan } from '../telemetry/call-span'
import { Deadlines } from '../rpc/deadlines'
import { AppError } from '../errors'
import type { CallScope } from '../rpc/call-scope'
import { CallTable } from './call-table'
import { LARGEST_CALL, MAX_CALL_BYTES, MAX_CALLS } from './limits'
import { ReplyQueue } from './reply-queue'
import { bareStatus, ServedCall, type CallHost, type TransportRoute } from './server-call'

/** One stream of TransportService on the server's side, with the calls that are under way on it. */
export class TransportSession implements CallHost {
  readonly queue: ReplyQueue
  readonly waiting = new Set<ServedCall>()
  private readonly calls = new CallTable<ServedCall>()
  private readonly deadlines = new Deadlines((now) => this.expire(now))
  private callBytes = 0
  /** True once the client has closed its side. */
  private isEnding = false
  private isClosed = false

  constructor(
    private readonly stream: ServerDuplexStream<ExchangeRequest, ExchangeResponse>,
    private readonly routes: ReadonlyMap<string, TransportRoute>,
    readonly scope: CallScope,
    private readonly traced: boolean,
  ) {
    this.queue = new ReplyQueue(stream, () => this.onRoom())
    stream.on('data', (frames: ExchangeRequest) => this.receive(frames))
    stream.once('end', () => {
      this.isEnding = true
      this.endWhenDone()
    })
    for (const event of ['cancelled', 'error', 'close']) stream.once(event, () => this.close())
    // A client sends calls when it has received headers.
    stream.sendMetadata(new Metadata())
  }

  /** Asks the client to send further calls elsewhere. */
  drain(): void {
    if (!this.isClosed && !this.isEnding) this.queue.drain()
  }

  forget(call: ServedCall): void {
    this.calls.delete(call)
    this.waiting.delete(call)
    this.callBytes -= call.bytes
    if (this.isEnding) this.endWhenDone()
  }

  private receive({ calls, credits, cancelledIds }: ExchangeRequest): void {
    if (calls.length > MAX_CALLS) return this.breakOff('too many calls in one message')
    for (const call of calls) if (!this.isClosed) this.begin(call)
    for (const { id, bytes } of credits) this.calls.get(id)?.addCredit(bytes)
    for (const id of cancelledIds) this.calls.get(id)?.cancel()
  }

  private begin(frame: Call): void {
    const { id, path, timeoutMs, payload } = frame
    if (id === 0 || this.calls.get(id)) return this.breakOff(`call id ${id} is 0 or in use`)
    const route = this.routes.get(path)
    if (!route) return this.queue.fail(id, bareStatus(Status.UNIMPLEMENTED, 'unknown method'))
    const refusal = this.refusalOf(payload.length)
    if (refusal) return this.queue.fail(id, this.scope.fail(refusal, path))
    const deadline = timeoutMs > 0 ? Date.now() + timeoutMs : Infinity
    const span = this.traced ? CallSpan.ofServer(path, frame.traceparent) : undefined
    const call = new ServedCall(this, frame, deadline, span)
    this.calls.add(call)
    this.callBytes += call.bytes
    this.deadlines.add(deadline)
    if (span) span.run(() => call.serve(route, payload))
    else call.serve(route, payload)
  }

  private refusalOf(bytes: number): AppError | undefined {
    if (bytes > LARGEST_CALL)
      return new AppError('too_large', 'MESSAGE_TOO_LARGE', 'request entity too large')
    if (this.calls.size < MAX_CALLS && this.callBytes + bytes <= MAX_CALL_BYTES) return undefined
    return new AppError('too_many', 'TOO_MANY_CALLS', 'too many concurrent calls, retry later')
  }

  /** Ends the stream of a client that violates the contract. */
  private breakOff(fault: string): void {
    const error = new AppError('invalid', 'MALFORMED_FRAME', fault)
    this.stream.emit('error', this.scope.fail(error, this.stream.getPath()))
  }

  private expire(now: number): number {
    let next = Infinity
    for (const call of this.calls.list())
      if (call.deadline <= now) call.expire()
      else next = Math.min(next, call.deadline)
    return next
  }

  private onRoom(): void {
    const calls = [...this.waiting]
    this.waiting.clear()
    for (const call of calls) call.resume()
    if (this.isEnding) this.endWhenDone()
  }

  private endWhenDone(): void {
    if (this.calls.size === 0 && !this.isClosed) this.queue.end()
  }

  private close(): void {
    if (this.isClosed) return
    this.isClosed = true
    this.queue.close()
    this.deadlines.stop()
    for (const call of this.calls.list()) call.cancel()
  }
}
