import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { PrometheusExporter } from '@opentelemetry/exporter-prometheus'
import type { CollectionResult, MetricData } from '@opentelemetry/sdk-metrics'

/** Suffixes that Prometheus, and collectors that convert OTLP for it, append to names. */
const unitNames: Readonly<Record<string, string>> = { s: 'seconds', By: 'bytes', '1': 'ratio' }

/** A Prometheus exporter whose names equal those of metrics that arrive by OTLP. */
class UnitNamingExporter extends PrometheusExporter {
  override async collect(): Promise<CollectionResult> {
    const { resourceMetrics, errors } = await super.collect()
    const scopeMetrics = resourceMetrics.scopeMetrics.map((scope) => ({
      ...scope,
      metrics: scope.metrics.map(nameUnit),
    }))
    return { resourceMetrics: { ...resourceMetrics, scopeMetrics }, errors }
  }
}

function nameUnit(metric: MetricData): MetricData {
  const { name, unit } = metric.descriptor
  const suffix = unitNames[unit]
  if (suffix === undefined) return metric
  return { ...metric, descriptor: { ...metric.descriptor, name: `${name}.${suffix}` } }
}

/** Serves metrics to Prometheus at `/metrics` of a separate port. */
export class MetricsServer implements AsyncDisposable {
  /** The reader that collects the metrics. */
  readonly reader = new UnitNamingExporter({ preventServerStart: true })
  private readonly server: Server = createServer((request, response) => {
    const isWanted = request.method === 'GET' && request.url?.split('?')[0] === '/metrics'
    if (isWanted) return this.reader.getMetricsRequestHandler(request, response)
    response.writeHead(404, { 'Content-Type': 'text/plain' }).end('not found: try /metrics\n')
  })

  /** Starts listening and returns the address `host:port`. Rejects when the port cannot be used. */
  listen(host: string, port: number): Promise<string> {
    const { server } = this
    return new Promise((resolve, reject) => {
      server.once('error', (error) =>
        reject(new Error(`cannot serve metrics on ${host}:${port}: ${error.message}`)),
      )
      server.listen(port, host, () => {
        const { port: real } = server.address() as AddressInfo
        resolve(`${host.includes(':') ? `[${host}]` : host}:${real}`)
      })
    })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.server.closeAllConnections()
    await new Promise<void>((resolve) => this.server.close(() => resolve()))
  }
}
