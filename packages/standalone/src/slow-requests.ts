import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { readSpans } from './otlp-spans'
import { renderTree, type Span } from './span-tree'

const LOOPBACK = '127.0.0.1'
/** Maximum number of traces held, of which the oldest are dropped, and of spans of each. */
const MAX_TRACES = 2_000
const MAX_SPANS = 500
const MAX_BODY_BYTES = 16 * 1024 * 1024
/** Interval in which processes send their spans. */
const SEND_MS = 500
/** How long to wait for the spans of a slow request. */
const GATHER_MS = 3 * SEND_MS
const REQUEST = /^[A-Z]+ \//

/** Reports slow requests if configured; returns the telemetry settings for the observed processes. */
export async function watchSlowRequests(
  { slowRequestMs: slowMs }: { readonly slowRequestMs?: number },
  print: (line: string) => void,
): Promise<AsyncDisposable & { readonly settings: Readonly<Record<string, string>> }> {
  if (slowMs === undefined) return { settings: {}, [Symbol.asyncDispose]: async () => {} }
  const requests = new SlowRequests({ slowMs, print })
  const settings = await requests.start()
  return { settings, [Symbol.asyncDispose]: () => requests[Symbol.asyncDispose]() }
}

/** Options of SlowRequests. */
export interface SlowRequestsOptions {
  /** Requests that take at least this many milliseconds are shown. */
  readonly slowMs: number
  readonly print: (line: string) => void
}

/** Receives the spans of all processes, like a collector, and shows each slow request as a tree. */
export class SlowRequests implements AsyncDisposable {
  private readonly traces = new Map<string, Span[]>()
  private readonly timers = new Set<NodeJS.Timeout>()
  private readonly server = createServer((request, response) => {
    this.take(request, response).catch(() => response.destroy())
  })

  constructor(private readonly options: SlowRequestsOptions) {}

  /** Starts to listen; resolves to the settings with which processes send their spans here. */
  async start(): Promise<Readonly<Record<string, string>>> {
    this.server.listen(0, LOOPBACK)
    await once(this.server, 'listening')
    const { port } = this.server.address() as AddressInfo
    return {
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `http://${LOOPBACK}:${port}/v1/traces`,
      OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: 'http/json',
      OTEL_BSP_SCHEDULE_DELAY: String(SEND_MS),
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const timer of this.timers) clearTimeout(timer)
    this.server.closeAllConnections()
    await new Promise((resolve) => this.server.close(resolve))
  }

  private async take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    let bytes = 0
    for await (const chunk of request as AsyncIterable<Buffer>) {
      bytes += chunk.length
      if (bytes > MAX_BODY_BYTES) throw new Error('too many spans in one request')
      chunks.push(chunk)
    }
    for (const span of readSpans(Buffer.concat(chunks).toString())) this.add(span)
    response.writeHead(200, { 'Content-Type': 'application/json' }).end('{}')
  }

  private add(span: Span): void {
    const spans = this.traces.get(span.traceId) ?? []
    // Reinserted, so that the newest traces are last.
    this.traces.delete(span.traceId)
    this.traces.set(span.traceId, spans)
    if (spans.length < MAX_SPANS) spans.push(span)
    const [oldest] = this.traces.keys()
    if (this.traces.size > MAX_TRACES && oldest !== undefined) this.traces.delete(oldest)
    const isRequest = span.service === 'sheaf-gateway' && REQUEST.test(span.name)
    if (isRequest && span.end - span.start >= this.options.slowMs) this.showLater(span)
  }

  private showLater(root: Span): void {
    const timer = setTimeout(() => {
      this.timers.delete(timer)
      const { print } = this.options
      print(`slow request, trace ${root.traceId}:`)
      for (const line of renderTree(root, this.traces.get(root.traceId) ?? [root])) print(line)
    }, GATHER_MS)
    this.timers.add(timer)
  }
}
