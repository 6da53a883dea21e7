import { status as Status } from '@grpc/grpc-js'
import type { CallContext } from '@sheaf/protos/call'
import type { CallSpan } from '../telemetry/call-span'
import { codes, type AppError } from '../errors'
import { transportError } from '../rpc/wire-errors'
import { WINDOW } from './limits'

/** Credit is returned in portions of this size, in bytes. */
const CREDIT_PORTION = WINDOW / 4

/** A call to be made. */
export interface Outgoing {
  /** `/package.Service/Method`. */
  readonly path: string
  readonly data: Uint8Array
  readonly context: CallContext
  /** Epoch milliseconds. */
  readonly deadline: number
}

/** Calls by plain gRPC, for calls that the stream does not take. */
export interface PlainCalls {
  /** One message for one message. */
  unary(call: Outgoing): Promise<Uint8Array>
  /** One message for a stream of messages; starts with the first read. */
  serverStream(call: Outgoing): AsyncGenerator<Uint8Array>
}

/** The stream that carries a call. */
export interface Carrier {
  /** Largest message of an answer, in bytes. */
  readonly maxMessageBytes: number
  /** Allows the server to send so many more bytes. */
  addCredit(call: CarriedCall, bytes: number): void
  /** Called when a call has its outcome or is abandoned; `tell` requests a cancellation frame for the server. */
  forget(call: CarriedCall, tell: boolean): void
}

/** One call on the client's side. */
export abstract class CarriedCall {
  id = 0
  /** True once it may have reached the server; from then on only an answer reveals whether it ran. */
  isSent = false
  isOver = false
  span?: CallSpan
  protected carrier?: Carrier
  private parts?: Uint8Array[]
  private partBytes = 0

  constructor(
    protected readonly plain: PlainCalls,
    readonly request: Outgoing,
  ) {}

  /** Accepts the next message of the answer. */
  protected abstract take(message: Uint8Array): void
  /** Ends the call with its outcome. */
  protected abstract settle(error?: AppError): void
  /** Makes the call by plain gRPC; it has not run on the stream. */
  protected abstract reroute(): void
  /** Notes a part of a message that is not complete yet; a server without credit could not complete it. */
  protected abstract notePart(bytes: number): void

  /** Called when a stream has accepted the call. */
  begin(carrier: Carrier): void {
    this.carrier = carrier
    this.request.context.signal?.addEventListener('abort', this)
  }

  /** Listener of the abort signal. */
  handleEvent(): void {
    this.fail(transportError(Status.CANCELLED), true)
  }

  /** Accepts a message, or a part of one. */
  receive(payload: Uint8Array, continues: boolean): void {
    if (!continues && !this.parts) return this.take(payload)
    const parts = (this.parts ??= [])
    parts.push(payload)
    this.partBytes += payload.length
    if (this.partBytes > (this.carrier?.maxMessageBytes ?? 0))
      return this.fail(transportError(Status.RESOURCE_EXHAUSTED), true)
    if (continues) return this.notePart(payload.length)
    this.parts = undefined
    this.partBytes = 0
    this.take(Buffer.concat(parts))
  }

  /** Ends the call successfully. */
  complete(): void {
    if (!this.finish(Status.OK, false)) return
    this.settle()
  }

  /** Ends the call with an error. */
  fail(error: AppError, tell = false): void {
    if (!this.finish(codes[error.code].grpc, tell)) return
    this.settle(error)
  }

  /** Makes the call by plain gRPC, since the server has not received it or does not serve it on the stream. */
  fallBackToUnary(): void {
    if (!this.finish(Status.UNAVAILABLE, false)) return
    this.reroute()
  }

  /** Detaches the call from the stream; false when that has happened before. */
  protected finish(status: Status, tell: boolean): boolean {
    if (this.isOver) return false
    this.isOver = true
    this.request.context.signal?.removeEventListener('abort', this)
    this.span?.end(status)
    this.carrier?.forget(this, tell && this.isSent)
    this.parts = undefined
    return true
  }
}

/** A call whose answer is one message. */
export class UnaryCall extends CarriedCall {
  private resolve!: (answer: Uint8Array | Promise<Uint8Array>) => void
  private reject!: (error: unknown) => void
  readonly answer = new Promise<Uint8Array>((resolve, reject) => {
    this.resolve = resolve
    this.reject = reject
  })

  protected take(message: Uint8Array): void {
    if (this.finish(Status.OK, false)) this.resolve(message)
  }

  protected notePart(bytes: number): void {
    this.carrier?.addCredit(this, bytes)
  }

  protected settle(error?: AppError): void {
    this.reject(error ?? transportError(Status.INTERNAL))
  }

  protected reroute(): void {
    this.resolve(this.plain.unary(this.request))
  }
}

const theEnd: IteratorReturnResult<undefined> = { done: true, value: undefined }

/** A call whose answer is a stream of messages; it starts with the first read. */
export class StreamedCall extends CarriedCall implements AsyncIterableIterator<Uint8Array> {
  private messages: Uint8Array[] = []
  private hasBegun = false
  private error?: AppError
  private elsewhere?: AsyncGenerator<Uint8Array>
  private waiting?: {
    resolve(result: IteratorResult<Uint8Array> | Promise<IteratorResult<Uint8Array>>): void
    reject(error: unknown): void
  }
  /** Bytes read for which no credit was returned; negative after credit in advance. */
  private read = 0
  /** Bytes of the incomplete message for which no credit was returned. */
  private pending = 0

  /** @param start passes the call to a stream; false when none accepts it */
  constructor(
    plain: PlainCalls,
    request: Outgoing,
    private readonly start: (call: CarriedCall) => boolean,
  ) {
    super(plain, request)
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  /** Returns the next message; reads must not overlap. */
  next(): Promise<IteratorResult<Uint8Array>> {
    if (!this.hasBegun) {
      this.hasBegun = true
      const { signal } = this.request.context
      if (signal?.aborted) return this.refuse(signal.reason)
      if (!this.start(this)) this.elsewhere = this.plain.serverStream(this.request)
    }
    if (this.elsewhere) return this.elsewhere.next()
    const value = this.messages.shift()
    if (value) {
      this.makeRoom(value.length)
      return Promise.resolve({ done: false, value })
    }
    if (this.error) return this.refuse(this.error)
    if (this.isOver) return Promise.resolve(theEnd)
    return new Promise((resolve, reject) => {
      this.waiting = { resolve, reject }
      this.advanceCredit()
    })
  }

  /** Stops reading, and cancels the call unless it has ended. */
  async return(): Promise<IteratorResult<Uint8Array>> {
    await this.elsewhere?.return(undefined)
    this.hasBegun = true
    this.messages = []
    this.error = undefined
    this.finish(Status.CANCELLED, true)
    this.waiting?.resolve(theEnd)
    return theEnd
  }

  protected notePart(bytes: number): void {
    this.pending += bytes
    if (this.waiting) this.advanceCredit()
  }

  protected take(value: Uint8Array): void {
    this.pending = 0
    if (!this.waiting) {
      this.messages.push(value)
      return
    }
    const { waiting } = this
    this.waiting = undefined
    this.makeRoom(value.length)
    waiting.resolve({ done: false, value })
  }

  protected settle(error?: AppError): void {
    const { waiting } = this
    this.waiting = undefined
    if (!waiting) this.error = error
    else if (error) {
      this.error = undefined
      waiting.reject(error)
    } else waiting.resolve(theEnd)
  }

  protected reroute(): void {
    const elsewhere = (this.elsewhere = this.plain.serverStream(this.request))
    this.waiting?.resolve(elsewhere.next())
    this.waiting = undefined
  }

  /** Rejects one read; afterwards the stream has ended. */
  private refuse(error: Error): Promise<never> {
    this.error = undefined
    this.isOver = true
    return Promise.reject(error)
  }

  /**
   * Returns credit for a message that the reader waits for, before it is complete and can be read: it may be longer
   * than the credit. What a reader does not wait for gets none, or each unread answer would grow.
   */
  private advanceCredit(): void {
    if (this.isOver || this.pending === 0) return
    this.carrier?.addCredit(this, this.pending)
    this.read -= this.pending
    this.pending = 0
  }

  private makeRoom(bytes: number): void {
    this.read += bytes
    if (this.isOver || this.read < CREDIT_PORTION) return
    this.carrier?.addCredit(this, this.read)
    this.read = 0
  }
}
