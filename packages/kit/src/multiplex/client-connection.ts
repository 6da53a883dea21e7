import { status as Status, type ClientDuplexStream } from '@grpc/grpc-js'
import type {
  Credit,
  ExchangeRequest,
  ExchangeResponse,
  Failure,
} from '@sheaf/protos/sheaf/transport/v1/transport'
import { CallSpan } from '../telemetry/call-span'
import { Deadlines } from '../rpc/deadlines'
import { decodeStatus, transportError } from '../rpc/wire-errors'
import { CallTable } from './call-table'
import type { CarriedCall, Carrier } from './client-call'
import { BATCH, MAX_CALL_BYTES, MAX_CALLS } from './limits'
import { FrameWriter } from './frame-writer'

/** Ids are never reused, so that a late answer cannot match another call: a stream retires after its last id. */
const LAST_ID = 2 ** 31 - 1
const MAX_TIMEOUT_MS = 2 ** 31 - 1
/** Half of what a server accepts: it may learn of the end of a call after the beginning of the next one. */
const MAX_UNDER_WAY = MAX_CALLS / 2
const MAX_BYTES_UNDER_WAY = MAX_CALL_BYTES / 2

/** Events of a connection. */
export interface ConnectionEvents {
  /** The server accepts calls. */
  onReady(): void
  /** The connection accepts no further calls: the server is stopping, or the stream has ended with this status. */
  onRetire(status: Status): void
  /** The stream has ended. */
  onClose(): void
}

/** One stream of TransportService on the client's side, with the calls that are under way on it. */
export class TransportConnection implements Carrier {
  private readonly calls = new CallTable<CarriedCall>()
  private readonly deadlines = new Deadlines((now) => this.expire(now))
  private readonly writer: FrameWriter<ExchangeRequest>
  private unsent: CarriedCall[] = []
  private credits: Credit[] = []
  private cancelledIds: number[] = []
  private bytes = 0
  private lastId = 0
  private isReady = false
  private isDraining = false
  private isClosed = false

  constructor(
    private readonly stream: ClientDuplexStream<ExchangeRequest, ExchangeResponse>,
    readonly maxMessageBytes: number,
    private readonly traced: boolean,
    private readonly events: ConnectionEvents,
  ) {
    this.writer = new FrameWriter(stream, () => this.take())
    stream.once('metadata', () => {
      this.isReady = true
      events.onReady()
    })
    stream.on('data', (frames: ExchangeResponse) => this.receive(frames))
    stream.on('error', (error: { code?: Status }) => this.close(error.code ?? Status.UNKNOWN))
    stream.once('end', () => this.close(Status.OK))
  }

  /** True while calls may begin here. */
  get isOpen(): boolean {
    return this.isReady && !this.isDraining
  }

  /** Begins a call; false when the connection cannot take it now. */
  begin(call: CarriedCall): boolean {
    const { length } = call.request.data
    const hasRoom =
      this.calls.size < MAX_UNDER_WAY &&
      this.bytes + length <= MAX_BYTES_UNDER_WAY &&
      !this.writer.isFull
    if (!this.isOpen || !hasRoom) return false
    call.id = ++this.lastId
    if (this.traced) call.span = CallSpan.ofClient(call.request.path)
    this.calls.add(call)
    this.bytes += length
    this.deadlines.add(call.request.deadline)
    this.unsent.push(call)
    this.writer.schedule()
    call.begin(this)
    if (call.id === LAST_ID) this.retire()
    return true
  }

  /** Ends the stream; calls under way fail. */
  cancel(): void {
    for (const call of this.calls.list()) call.fail(transportError(Status.UNAVAILABLE))
    this.stream.cancel()
    this.close(Status.CANCELLED)
  }

  addCredit({ id }: CarriedCall, bytes: number): void {
    this.credits.push({ id, bytes })
    this.writer.schedule()
  }

  forget(call: CarriedCall, tell: boolean): void {
    this.calls.delete(call)
    this.bytes -= call.request.data.length
    if (tell && !this.isClosed) {
      this.cancelledIds.push(call.id)
      this.writer.schedule()
    }
    if (this.isDraining) this.endWhenDone()
  }

  private receive({ replies, completedIds, failures, draining }: ExchangeResponse): void {
    for (const { id, payload, continues } of replies)
      this.calls.get(id)?.receive(payload, continues)
    for (const id of completedIds) this.calls.get(id)?.complete()
    for (const failure of failures) this.fail(failure)
    if (draining) this.retire()
  }

  /** Accepts no further calls; those under way continue. */
  private retire(): void {
    if (this.isDraining) return
    this.isDraining = true
    this.events.onRetire(Status.OK)
    this.endWhenDone()
  }

  private fail({ id, code, message, details }: Failure): void {
    const call = this.calls.get(id)
    // A path that is not served on the stream may be served by plain gRPC.
    if ((code as Status) === Status.UNIMPLEMENTED && details.length === 0) call?.fallBackToUnary()
    else call?.fail(decodeStatus(code, message, details))
  }

  private expire(now: number): number {
    let next = Infinity
    for (const call of this.calls.list()) {
      const { deadline } = call.request
      if (deadline <= now) call.fail(transportError(Status.DEADLINE_EXCEEDED), true)
      else next = Math.min(next, deadline)
    }
    return next
  }

  private endWhenDone(): void {
    if (this.calls.size > 0 || this.isClosed) return
    this.writer.flush()
    this.writer.close()
    this.stream.end()
  }

  private close(status: Status): void {
    if (this.isClosed) return
    this.isClosed = true
    this.isReady = false
    this.writer.close()
    this.deadlines.stop()
    this.events.onRetire(status)
    this.events.onClose()
    for (const call of this.calls.list())
      if (call.isSent) call.fail(transportError(Status.UNAVAILABLE))
      else call.fallBackToUnary()
  }

  private take() {
    let bytes = 0
    let count = 0
    const calls: ExchangeRequest['calls'] = []
    const now = Date.now()
    for (const call of this.unsent) {
      if (bytes >= BATCH) break
      count++
      if (call.isOver) continue
      call.isSent = true
      const frame = frameOf(call, now)
      calls.push(frame)
      bytes += frame.payload.length + frame.token.length
    }
    this.unsent = count === this.unsent.length ? [] : this.unsent.slice(count)
    const { credits, cancelledIds } = this
    if (calls.length + credits.length + cancelledIds.length === 0) return undefined
    this.credits = []
    this.cancelledIds = []
    return { message: { calls, credits, cancelledIds }, bytes }
  }
}

function frameOf(
  { id, request, span }: CarriedCall,
  now: number,
): ExchangeRequest['calls'][number] {
  const { path, data, context, deadline } = request
  const { token = '', requestId = '' } = context
  const timeoutMs = Math.min(Math.max(Math.ceil(deadline - now), 1), MAX_TIMEOUT_MS)
  const traceparent = span?.traceparent ?? ''
  return { id, path, token, requestId, traceparent, timeoutMs, payload: data as Buffer }
}
