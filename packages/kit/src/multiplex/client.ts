import { Metadata, status as Status, type Client } from '@grpc/grpc-js'
import { context, ROOT_CONTEXT } from '@opentelemetry/api'
import {
  ExchangeRequest,
  TransportServiceService,
} from '@sheaf/protos/sheaf/transport/v1/transport'
import { encodeBytes } from '@sheaf/protos/bytes'
import { isTracing } from '../telemetry/call-span'
import type { CarriedCall } from './client-call'
import { TransportConnection } from './client-connection'
import { LARGEST_SENT_CALL } from './limits'
import { decodeResponse } from './replies'

/** Time before a stream that broke is opened again, in milliseconds; doubles up to the second with each failure. */
const FIRST_RETRY_MS = 50
const LAST_RETRY_MS = 1_000
/** A server that does not know the stream may be replaced by a newer one. */
const UNSUPPORTED_RETRY_MS = 60_000

const encode = (frames: ExchangeRequest) => encodeBytes(ExchangeRequest, frames)

/** Sends calls over one long-lived stream to a server, which it opens, and opens again, when there are calls to send. */
export class TransportClient {
  private readonly traced = isTracing()
  private readonly connections = new Set<TransportConnection>()
  private current?: TransportConnection
  private retryMs = FIRST_RETRY_MS
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
    // Outside of the trace of the call that happens to need it first.
    const stream = context.with(ROOT_CONTEXT, () =>
      this.client.makeBidiStreamRequest(path, encode, decodeResponse, new Metadata()),
    )
    const connection: TransportConnection = new TransportConnection(
      stream,
      this.maxMessageBytes,
      this.traced,
      {
        onReady: () => (this.retryMs = FIRST_RETRY_MS),
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
    const wait = isUnsupported ? UNSUPPORTED_RETRY_MS : this.retryMs * (0.5 + Math.random() / 2)
    this.retryAt = Date.now() + wait
    this.retryMs = Math.min(this.retryMs * 2, LAST_RETRY_MS)
  }
}
