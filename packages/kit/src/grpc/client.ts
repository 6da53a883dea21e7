import {
  Client,
  Metadata,
  status as Status,
  type CallOptions,
  type ClientReadableStream,
  type ServiceError,
} from '@grpc/grpc-js'
import type { CallContext, CallSignal } from '@sheaf/protos/call'
import { asBuffer, encodeBytes } from '@sheaf/protos/bytes'
import {
  HealthCheckRequest,
  HealthCheckResponse,
  HealthCheckResponse_ServingStatus,
  HealthService,
} from '@sheaf/protos/grpc/health/v1/health'
import { retry } from '../backoff'
import { CallSpan, isTracing } from '../telemetry/call-span'
import { AppError } from '../errors'
import { decodeError } from '../rpc/wire-errors'
import { channelCredentials, type TlsFiles } from '../tls'
import { StreamedCall, UnaryCall, type Outgoing, type PlainCalls } from '../multiplex/client-call'
import { TransportClient } from '../multiplex/client'
import { writeUpload } from './upload'

const DEFAULT_TIMEOUT_MS = 30_000
/** Streams carry whole tables, so they may take longer than one answer. */
const STREAM_TIMEOUT_MS = 5 * 60_000
const RETRY_DELAYS_MS = [50, 200, 500]
/** Only RPCs with these names are retried: they have no side effects, by a house rule (see CONTRIBUTING). */
const IDEMPOTENT = /^(Get|List|Read|Resolve)/

const receive = (bytes: Buffer): Uint8Array => bytes

/** Options of openChannel. */
export interface ChannelOptions {
  /** `host:port`, or any other target of grpc-js. */
  readonly address: string
  /** Timeout in milliseconds of unary calls without a deadline; 30 s by default. */
  readonly timeoutMs?: number
  /** Certificates for mutual TLS; plain text when absent. */
  readonly tls?: TlsFiles
  /** Maximum size of a response message in bytes; 4 MiB by default, as usual for gRPC. */
  readonly maxMessageBytes?: number
  /**
   * True to send small calls over one long-lived stream (TransportService), with the same outcomes at a fraction of the
   * cost. Useful between two processes of Sheaf that exchange many calls.
   */
  readonly multiplexed?: boolean
  /** False for calls whose caller repeats them, at another address if need be. By default, those without side effects are retried briefly. */
  readonly retries?: boolean
}

/**
 * A connection to one process, the transport of generated clients (`…ServiceClientImpl`). Every unary call has a deadline;
 * failures are AppErrors; aborting the signal or leaving the iteration cancels the call.
 */
export class GrpcChannel implements AsyncDisposable {
  private readonly client: Client
  private readonly timeoutMs: number
  private readonly transport?: TransportClient
  private readonly retries: boolean
  private readonly plain: PlainCalls = {
    unary: (call) => this.plainUnary(call),
    serverStream: (call) => this.plainServerStream(call),
  }
  /** Cancels each running call that is not on the stream of `transport`. */
  private readonly running = new Set<() => void>()
  readonly address: string

  constructor({
    address,
    tls,
    timeoutMs = DEFAULT_TIMEOUT_MS,
    maxMessageBytes = 4 * 1024 * 1024,
    multiplexed = false,
    retries = true,
  }: ChannelOptions) {
    this.address = address
    this.timeoutMs = timeoutMs
    this.retries = retries
    this.client = new Client(address, channelCredentials(tls), {
      'grpc.max_receive_message_length': maxMessageBytes,
      'grpc.max_send_message_length': -1,
      'grpc-node.flow_control_window': 1024 * 1024,
      'grpc.keepalive_time_ms': 30_000,
      'grpc.keepalive_timeout_ms': 5_000,
      'grpc.initial_reconnect_backoff_ms': 50,
      'grpc.min_reconnect_backoff_ms': 50,
      'grpc.max_reconnect_backoff_ms': 1_000,
      // A process that is restarted on a cluster has a new address under the same name.
      'grpc.dns_min_time_between_resolutions_ms': 1_000,
      'grpc.enable_retries': 0,
    })
    if (multiplexed) this.transport = new TransportClient(this.client, maxMessageBytes)
  }

  /** True while small calls use the long-lived stream. Until it is open, and while it is broken, all calls use plain gRPC. */
  get isMultiplexing(): boolean {
    return this.transport?.isOpen ?? false
  }

  /** Sends a unary call. */
  request(
    service: string,
    method: string,
    data: Uint8Array,
    context: CallContext = {},
  ): Promise<Uint8Array> {
    const deadline = context.deadline ?? Date.now() + this.timeoutMs
    const call = { path: `/${service}/${method}`, data, context, deadline }
    return this.retries && IDEMPOTENT.test(method) ? this.persist(call) : this.unary(call)
  }

  /** Retries briefly while the service is unreachable. */
  private persist(call: Outgoing): Promise<Uint8Array> {
    const { deadline } = call
    return retry(() => this.unary(call), { delaysMs: RETRY_DELAYS_MS, isRetryable, deadline })
  }

  private unary(call: Outgoing): Promise<Uint8Array> {
    if (!this.transport) return this.plainUnary(call)
    const { signal } = call.context
    if (signal?.aborted) return Promise.reject(signal.reason)
    const carried = new UnaryCall(this.plain, call)
    return this.transport.begin(carried) ? carried.answer : this.plainUnary(call)
  }

  private plainUnary({ path, data, context, deadline }: Outgoing): Promise<Uint8Array> {
    return answerOf(this.running, path, context, (metadata, done) =>
      this.client.makeUnaryRequest(path, asBuffer, receive, data, metadata, { deadline }, done),
    )
  }

  /** Sends a server-streaming call, whose messages are read no faster than they are iterated. */
  serverStreamingRequest(
    service: string,
    method: string,
    data: Uint8Array,
    context: CallContext = {},
  ): AsyncIterable<Uint8Array> {
    const deadline = context.deadline ?? Date.now() + STREAM_TIMEOUT_MS
    const call = { path: `/${service}/${method}`, data, context, deadline }
    const { transport } = this
    if (!transport) return this.plainServerStream(call)
    return new StreamedCall(this.plain, call, (carried) => transport.begin(carried))
  }

  private plainServerStream(call: Outgoing): AsyncGenerator<Uint8Array> {
    const { path, data, context, deadline } = call
    const open = (span?: CallSpan) =>
      this.client.makeServerStreamRequest(
        path,
        asBuffer,
        receive,
        data,
        metadataOf(context, span),
        { deadline },
      )
    return read(this.running, path, open, context.signal)
  }

  /** Sends a client-streaming call, such as an upload. */
  clientStreamingRequest(
    service: string,
    method: string,
    data: AsyncIterable<Uint8Array>,
    call: CallContext = {},
  ): Promise<Uint8Array> {
    const path = `/${service}/${method}`
    const deadline = call.deadline ?? Date.now() + STREAM_TIMEOUT_MS
    return answerOf(this.running, path, call, (metadata, done, fail) => {
      const options = { deadline }
      const stream = this.client.makeClientStreamRequest(
        path,
        asBuffer,
        receive,
        metadata,
        options,
        done,
      )
      writeUpload(stream, data).catch((error: Error) => {
        stream.cancel()
        fail(error)
      })
      return stream
    })
  }

  /** Sends a bidirectional call, without a default deadline. */
  bidirectionalStreamingRequest(
    service: string,
    method: string,
    data: AsyncIterable<Uint8Array>,
    call: CallContext = {},
  ): AsyncIterable<Uint8Array> {
    const path = `/${service}/${method}`
    const open = (span?: CallSpan) => {
      const stream = this.client.makeBidiStreamRequest(
        path,
        asBuffer,
        receive,
        metadataOf(call, span),
        optionsOf(call),
      )
      writeUpload(stream, data).catch(() => stream.cancel())
      return stream
    }
    return read(this.running, path, open, call.signal)
  }

  /** Returns whether the process, or the part named by `service`, reports SERVING; false when it cannot be reached. */
  async checkHealth(service = '', timeoutMs = 1_000): Promise<boolean> {
    const data = encodeBytes(HealthCheckRequest, { service })
    const deadline = Date.now() + timeoutMs
    const { path } = HealthService.check
    try {
      const answer = await this.plainUnary({ path, data, context: {}, deadline })
      const { status } = HealthCheckResponse.decode(answer)
      return status === HealthCheckResponse_ServingStatus.SERVING
    } catch {
      return false
    }
  }

  /** Breaks all running calls; their effect remains unknown. */
  abort(): void {
    this.transport?.close()
    for (const cancel of this.running) cancel()
  }

  /** Closes the connection; running calls fail. */
  close(): void {
    this.transport?.close()
    this.client.close()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.close()
  }
}

/** Opens a channel; it connects with the first call and reconnects automatically. */
export function openChannel(options: ChannelOptions): GrpcChannel {
  return new GrpcChannel(options)
}

const isRetryable = (error: unknown) =>
  error instanceof AppError && error.reason === 'SERVICE_UNAVAILABLE'

function startSpan(path: string): CallSpan | undefined {
  return isTracing() ? CallSpan.ofClient(path) : undefined
}

function metadataOf({ token, requestId }: CallContext, span?: CallSpan): Metadata {
  const metadata = new Metadata()
  if (span) metadata.set('traceparent', span.traceparent)
  if (token !== undefined) metadata.set('authorization', `Bearer ${token}`)
  if (requestId !== undefined) metadata.set('x-request-id', requestId)
  return metadata
}

function optionsOf({ deadline }: CallContext): CallOptions {
  return deadline === undefined ? {} : { deadline }
}

type Done = (error: ServiceError | null, answer?: Uint8Array) => void
type Send = (
  metadata: Metadata,
  done: Done,
  fail: (error: Error) => void,
) => Pick<ClientReadableStream<unknown>, 'cancel'>

/** Makes a call that has one answer, and resolves to it. */
function answerOf(
  running: Set<() => void>,
  path: string,
  context: CallContext,
  send: Send,
): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const { signal } = context
    if (signal?.aborted) return reject(signal.reason)
    const span = startSpan(path)
    const call = send(metadataOf(context, span), done, reject)
    const cancel = () => call.cancel()
    running.add(cancel)
    signal?.addEventListener('abort', cancel, { once: true })
    function done(error: ServiceError | null, answer?: Uint8Array) {
      running.delete(cancel)
      span?.end(error ? error.code : Status.OK)
      signal?.removeEventListener('abort', cancel)
      if (error) reject(decodeError(error))
      else resolve(answer ?? new Uint8Array())
    }
  })
}

type Incoming = Pick<ClientReadableStream<Uint8Array>, 'cancel' | typeof Symbol.asyncIterator>

async function* read(
  running: Set<() => void>,
  path: string,
  open: (span?: CallSpan) => Incoming,
  signal?: CallSignal,
): AsyncGenerator<Uint8Array> {
  if (signal?.aborted) throw signal.reason
  const span = startSpan(path)
  const stream = open(span)
  const cancel = () => stream.cancel()
  running.add(cancel)
  signal?.addEventListener('abort', cancel, { once: true })
  let ended = false
  let status = Status.CANCELLED
  try {
    for await (const message of stream) yield message as Uint8Array
    ended = true
    status = Status.OK
  } catch (error) {
    status = (error as Partial<ServiceError>).code ?? Status.UNKNOWN
    throw decodeError(error)
  } finally {
    running.delete(cancel)
    span?.end(status)
    signal?.removeEventListener('abort', cancel)
    // Cancelling a stream that has ended would make the server record it as cancelled.
    if (!ended) cancel()
  }
}
