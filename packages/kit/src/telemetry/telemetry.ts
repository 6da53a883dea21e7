import { hostname } from 'node:os'
import { context, diag, DiagLogLevel } from '@opentelemetry/api'
import type { Env } from '../config'
import { cutText } from '../truncate-text'
import type { Logger } from '../logger'
import { formatVersion, getVersion } from '../version'
import { isTracing } from './call-span'
import { switchOnMetrics } from './metrics'
import type { MetricsServer } from './metrics-server'
import { observeProcess } from './process-metrics'
import { readTelemetryConfig } from './telemetry-config'
import { injectContext } from './traceparent'

/** Failures of the exporter are logged at most this often. */
const TELL_MS = 60_000
const MAX_REASON = 300

/** Telemetry of a process. Disposing sends what has not been sent. */
export interface RunningTelemetry extends AsyncDisposable {
  /** Serves metrics to Prometheus when a setting asks for it. Throws when the port is taken. */
  serveMetrics(): Promise<void>
}

/**
 * Starts OpenTelemetry as its standard variables and SHEAF_METRICS_LISTEN specify. When telemetry is off, nothing is loaded
 * and the API's built-in no-ops make spans free. Sheaf creates its spans itself, so that they hold only intended data. Must
 * run before modules that define metrics are loaded. Throws ConfigError for a malformed setting.
 */
export function startTelemetry(service: string, env: Env, log: Logger): RunningTelemetry {
  const { traces, metrics: metered, listen } = readTelemetryConfig(env)
  if (!traces && !metered)
    return { serveMetrics: async () => {}, [Symbol.asyncDispose]: async () => {} }
  const loaded = load()
  const server = listen && new loaded.MetricsServer()
  tellFaults(log)
  const sdk = new loaded.NodeSDK({
    resource: loaded.resourceFromAttributes({
      'service.instance.id': `${hostname()}:${process.pid}`,
      'service.version': formatVersion(getVersion()),
    }),
    serviceName: env.OTEL_SERVICE_NAME ?? `sheaf-${service}`,
    logRecordProcessors: [],
    // Pull and push at the same time would count everything twice in a shared backend.
    ...(server ? { metricReaders: [server.reader] } : !metered && { metricReaders: [] }),
    ...(!traces && { textMapPropagator: null, spanProcessors: [] }),
  })
  sdk.start()
  if (metered) switchOnMetrics()
  const watched = metered ? observeProcess() : undefined
  return {
    async serveMetrics() {
      if (!listen || !server) return
      const address = await server.listen(listen.host, listen.port)
      log.info({ address }, 'serving metrics')
    },
    async [Symbol.asyncDispose]() {
      watched?.[Symbol.dispose]()
      await server?.[Symbol.asyncDispose]()
      await sdk.shutdown()
    },
  }
}

/** Loads OpenTelemetry, which costs time and memory, only when it is switched on. */
function load() {
  /* eslint-disable @typescript-eslint/no-require-imports -- loaded only when it is switched on */
  const { NodeSDK } = require('@opentelemetry/sdk-node') as typeof import('@opentelemetry/sdk-node')
  const { resourceFromAttributes } =
    require('@opentelemetry/resources') as typeof import('@opentelemetry/resources')
  const { MetricsServer } = require('./metrics-server.js') as {
    MetricsServer: new () => MetricsServer
  }
  /* eslint-enable @typescript-eslint/no-require-imports */
  return { NodeSDK, resourceFromAttributes, MetricsServer }
}

/** Logs errors of OpenTelemetry, such as an unreachable collector, at a limited rate. */
function tellFaults(log: Logger): void {
  let toldAt = -Infinity
  const tell = (reason: string) => {
    const now = performance.now()
    if (now - toldAt < TELL_MS) return
    toldAt = now
    log.warn({ reason: cutText(reason, MAX_REASON) }, 'telemetry could not be sent')
  }
  const quiet = () => {}
  diag.setLogger(
    { error: tell, warn: tell, info: quiet, debug: quiet, verbose: quiet },
    { logLevel: DiagLogLevel.ERROR, suppressOverrideMessage: true },
  )
}

/** Returns the W3C traceparent of the active span, to be stored or propagated; empty when there is no trace. */
export function currentTraceparent(): string {
  if (!isTracing()) return ''
  return injectContext(context.active())
}
