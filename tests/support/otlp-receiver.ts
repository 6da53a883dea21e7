import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A span, reduced to what tests check. */
export interface ReceivedSpan {
  readonly service: string
  readonly name: string
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId: string
  readonly attributes: Readonly<Record<string, unknown>>
}

/** Receives spans by OTLP over HTTP, like a collector. */
export interface OtlpReceiver extends AsyncDisposable {
  /** Value for OTEL_EXPORTER_OTLP_ENDPOINT, with OTEL_EXPORTER_OTLP_PROTOCOL=http/json. */
  readonly endpoint: string
  readonly spans: readonly ReceivedSpan[]
  /** Names of metrics, with their latest value. */
  readonly metrics: ReadonlyMap<string, number>
  /** All received data, unprocessed. */
  readonly texts: readonly string[]
}

interface Attribute {
  readonly key: string
  readonly value: Readonly<Record<string, unknown>>
}

interface ExportRequest {
  readonly resourceSpans?: readonly {
    readonly resource: { readonly attributes: readonly Attribute[] }
    readonly scopeSpans: readonly { readonly spans: readonly OtlpSpan[] }[]
  }[]
}

type OtlpSpan = Pick<ReceivedSpan, 'name' | 'traceId' | 'spanId'> & {
  readonly parentSpanId?: string
  readonly attributes: readonly Attribute[]
}

interface MetricsRequest {
  readonly resourceMetrics?: readonly {
    readonly scopeMetrics: readonly {
      readonly metrics: readonly {
        readonly name: string
        readonly gauge?: {
          readonly dataPoints: readonly {
            readonly asInt?: number | string
            readonly asDouble?: number
          }[]
        }
      }[]
    }[]
  }[]
}

/** Starts a receiver on a free port. */
export async function startOtlpReceiver(): Promise<OtlpReceiver> {
  const spans: ReceivedSpan[] = []
  const metrics = new Map<string, number>()
  const texts: string[] = []
  const take = async (request: IncomingMessage, response: ServerResponse) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    texts.push(Buffer.concat(chunks).toString())
    if (request.url === '/v1/traces') spans.push(...readSpans(Buffer.concat(chunks)))
    if (request.url === '/v1/metrics')
      for (const [name, value] of readGauges(Buffer.concat(chunks))) metrics.set(name, value)
    response.writeHead(200, { 'Content-Type': 'application/json' }).end('{}')
  }
  const server = createServer((request, response) => void take(request, response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    metrics,
    texts,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

function readSpans(body: Buffer): ReceivedSpan[] {
  const { resourceSpans = [] } = JSON.parse(body.toString()) as ExportRequest
  return resourceSpans.flatMap(({ resource, scopeSpans }) => {
    const service = String(plain(resource.attributes)['service.name'])
    return scopeSpans.flatMap(({ spans }) =>
      spans.map(({ name, traceId, spanId, parentSpanId = '', attributes }) => ({
        service,
        name,
        traceId,
        spanId,
        parentSpanId,
        attributes: plain(attributes),
      })),
    )
  })
}

function readGauges(body: Buffer): [string, number][] {
  const { resourceMetrics = [] } = JSON.parse(body.toString()) as MetricsRequest
  return resourceMetrics
    .flatMap(({ scopeMetrics }) => scopeMetrics.flatMap(({ metrics }) => metrics))
    .flatMap(({ name, gauge }) => {
      const point = gauge?.dataPoints.at(-1)
      return point ? [[name, Number(point.asInt ?? point.asDouble)] as [string, number]] : []
    })
}

function plain(attributes: readonly Attribute[]): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]))
}
