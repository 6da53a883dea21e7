import { context, metrics, propagation, trace } from '@opentelemetry/api'

const enabling = [
  'OTEL_EXPORTER_OTLP_ENDPOINT',
  'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT',
  'OTEL_TRACES_EXPORTER',
]

/** Queries hold one-time links, filters with cell values, and SQL: none of it is for those who look at traces. */
const withoutQuery = { 'url.query': undefined }

/**
 * Starts OpenTelemetry when one of its standard variables names an exporter; otherwise loads nothing, and the API's
 * built-in no-ops make every span free. Must run before express, grpc-js and pg are first required, since they are
 * instrumented as they load. Disposing flushes what has not been sent.
 */
export function startTelemetry(service: string): AsyncDisposable {
  const wanted = enabling.some((name) => (process.env[name] ?? 'none') !== 'none')
  if (!wanted || process.env.OTEL_SDK_DISABLED === 'true')
    return { [Symbol.asyncDispose]: async () => {} }
  /* eslint-disable @typescript-eslint/no-require-imports -- loaded only when it is switched on */
  const { NodeSDK } = require('@opentelemetry/sdk-node') as typeof import('@opentelemetry/sdk-node')
  const { HttpInstrumentation } =
    require('@opentelemetry/instrumentation-http') as typeof import('@opentelemetry/instrumentation-http')
  const { ExpressInstrumentation } =
    require('@opentelemetry/instrumentation-express') as typeof import('@opentelemetry/instrumentation-express')
  const { GrpcInstrumentation } =
    require('@opentelemetry/instrumentation-grpc') as typeof import('@opentelemetry/instrumentation-grpc')
  const { PgInstrumentation } =
    require('@opentelemetry/instrumentation-pg') as typeof import('@opentelemetry/instrumentation-pg')
  /* eslint-enable @typescript-eslint/no-require-imports */
  const sdk = new NodeSDK({
    serviceName: process.env.OTEL_SERVICE_NAME ?? `sheaf-${service}`,
    instrumentations: [
      new HttpInstrumentation({ startIncomingSpanHook: () => withoutQuery }),
      new ExpressInstrumentation(),
      new GrpcInstrumentation(),
      new PgInstrumentation(),
    ],
  })
  sdk.start()
  return { [Symbol.asyncDispose]: () => sdk.shutdown() }
}

/** Names the active span after a route, as the instrumentation of Express does for what it routes. */
export function nameActiveSpan(method: string, route: string): void {
  const span = trace.getActiveSpan()
  if (!span?.isRecording()) return
  span.updateName(`${method} ${route}`)
  span.setAttribute('http.route', route)
}

/** Shows a number as a metric, read whenever metrics are sent; costs nothing where they are not. */
export function observeGauge(
  name: string,
  { description, unit }: { readonly description: string; readonly unit: string },
  read: () => number,
): Disposable {
  const gauge = metrics.getMeter('@sheaf/kit').createObservableGauge(name, { description, unit })
  const observe = (result: { observe(value: number): void }) => result.observe(read())
  gauge.addCallback(observe)
  return { [Symbol.dispose]: () => gauge.removeCallback(observe) }
}

/** W3C traceparent of the active span, to be stored or sent along; empty when there is no trace. */
export function currentTraceparent(): string {
  const carrier: Record<string, string> = {}
  propagation.inject(context.active(), carrier)
  return carrier.traceparent ?? ''
}
