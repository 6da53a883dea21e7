import { Metadata, status as Status, type Client } from '@grpc/grpc-js'
import { context, ROOT_CONTEXT } from '@opentelemetry/api'
import {
  ExchangeRequest,
  TransportServiceService,
} from '@sheaf/protos/sheaf/transport/v1/transport'
import { encodeBytes } from '@sheaf/protos/bytes'
import { Backoff } from '../backoff'
import { isTracing } from '../telemetry/call-span'
import type { CarriedCall } from './client-call'
import { TransportConnection } from './client-connection'
import { LARGEST_SENT_CALL } from './limits'
import { decodeResponse } from './replies'

/** Delays before a broken stream is opened again. */
const RECONNECT = { firstMs: 50, longestMs: 1_000 }
/** A server without the service may be replaced by a newer one. */
const UNSUPPORTED_RETRY_MS = 60_000

const encode = (frames: ExchangeRequest) => encodeBytes(ExchangeRequest, frames)

/** Sends calls over one long-lived stream to a server. Opens the stream, and reopens it, when there are calls to send. */
export class TransportClient {
  private readonly traced = isTracing()
  private readonly connections = new Set<TransportConnection>()
  private current?: TransportConnection
  private readonly backoff = new Backoff(RECONNECT)
  private retryAt = 0
  private isClosed = false

  constructor(
    private readonly client: Client,
    private readonly maxMessageBytes: number,
  ) {}

  /** True while the stream takes calls. */
  get isOpen(): boolean {
    return this.current?.isOpen ?? false
  }

  /** Begins a call; false when it must go by plain gRPC, as while the stream is being opened. */
  begin(call: CarriedCall): boolean {
    if (call.request.data.length > LARGEST_SENT_CALL) return false
    if (this.current) return this.current.begin(call)
    if (!this.isClosed && Date.now() >= this.retryAt) this.connect()
    return false
  }

  /** Ends the stream; calls under way fail. */
  close(): void {
    this.isClosed = true
    for (const connection of this.connections) connection.cancel()
  }

  private connect(): void {
    const { path } = TransportServiceService.exchange
    // Outside the trace of the call that opens it.
    const stream = context.with(ROOT_CONTEXT, () =>
      this.client.makeBidiStreamRequest(path, encode, decodeResponse, new Metadata()),
    )
    const connection: TransportConnection = new TransportConnection(
      stream,
      this.maxMessageBytes,
      this.traced,
      {
        onReady: () => this.backoff.reset(),
        onRetire: (status) => this.retire(connection, status),
        onClose: () => this.connections.delete(connection),
      },
    )
    this.connections.add(connection)
    this.current = connection
  }

  private retire(connection: TransportConnection, status: Status): void {
    if (this.current !== connection) return
    this.current = undefined
    const isUnsupported = status === Status.UNIMPLEMENTED
    const delayMs = this.backoff.nextDelay()
    this.retryAt = Date.now() + (isUnsupported ? UNSUPPORTED_RETRY_MS : delayMs)
  }
}
