import type { ServerDuplexStream, ServiceDefinition } from '@grpc/grpc-js'
import {
  ExchangeRequest,
  type ExchangeResponse,
  TransportServiceService,
} from '@sheaf/protos/sheaf/transport/v1/transport'
import { isTracing } from '../telemetry/call-span'
import type { CallScope } from '../rpc/call-scope'
import { LARGEST_REQUEST } from './limits'
import { serializeResponse } from './replies'
import type { TransportRoute } from './server-call'
import { TransportSession } from './server-session'

function decode(bytes: Buffer): ExchangeRequest {
  if (bytes.length > LARGEST_REQUEST) throw new Error('the message is too long')
  return ExchangeRequest.decode(bytes)
}

/** Serves calls on streams of TransportService with the handlers of plain gRPC. */
export class TransportServer {
  private readonly routes = new Map<string, TransportRoute>()
  private readonly sessions = new Set<TransportSession>()
  private readonly traced = isTracing()

  /** The methods that `exchange` is for. */
  static readonly definition: ServiceDefinition = {
    exchange: {
      ...TransportServiceService.exchange,
      requestDeserialize: decode,
      responseSerialize: serializeResponse,
    },
  }

  constructor(private readonly scope: CallScope) {}

  /** Adds a method. Methods with streamed requests are served by plain gRPC only. */
  add(route: TransportRoute): void {
    if (!route.method.requestStream) this.routes.set(route.method.path, route)
  }

  /** Serves one stream; called by grpc-js. */
  readonly exchange = (stream: ServerDuplexStream<ExchangeRequest, ExchangeResponse>): void => {
    const session = new TransportSession(stream, this.routes, this.scope, this.traced)
    this.sessions.add(session)
    const forget = () => this.sessions.delete(session)
    stream.once('close', forget)
    stream.once('cancelled', forget)
  }

  /** Asks clients to send further calls elsewhere. */
  drain(): void {
    for (const session of this.sessions) session.drain()
  }
}
