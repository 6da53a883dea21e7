import type { IncomingMessage, ServerResponse } from 'node:http'
import {
  context,
  propagation,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  type Span,
} from '@opentelemetry/api'
import { isTracing } from './call-span'

const tracer = trace.getTracer('@sheaf/kit')
const headersOf = {
  get: readHeader,
  keys: (request: IncomingMessage) => Object.keys(request.headers),
}

/**
 * Handles a request within a span, a child of the trace context that the request carries. Nothing is recorded for a request
 * that is not sampled, here or later: calls are traced only below a span. The span omits the URL, which may contain user data.
 */
export function traceRequest(
  request: IncomingMessage,
  response: ServerResponse,
  answer: () => void,
): void {
  if (!isTracing()) return answer()
  const { method = '' } = request
  const parent = propagation.extract(ROOT_CONTEXT, request, headersOf)
  const attributes = {
    'http.request.method': method,
    'network.protocol.version': request.httpVersion,
  }
  const span = tracer.startSpan(method, { kind: SpanKind.SERVER, attributes }, parent)
  if (!span.isRecording()) return answer()
  response.once('close', () => end(span, response))
  context.with(trace.setSpan(parent, span), answer)
}

/** Returns the function bound to the currently active trace. */
export function keepTrace<T extends () => void>(run: T): T {
  return isTracing() ? context.bind(context.active(), run) : run
}

/** Names the active span after a route, by its template. */
export function nameActiveSpan(method: string, route: string): void {
  const span = trace.getActiveSpan()
  if (!span?.isRecording()) return
  span.updateName(`${method} ${route}`)
  span.setAttribute('http.route', route)
}

function end(span: Span, { headersSent, statusCode, writableFinished }: ServerResponse): void {
  if (headersSent) span.setAttribute('http.response.status_code', statusCode)
  if (statusCode >= 500) span.setStatus({ code: SpanStatusCode.ERROR })
  if (!writableFinished) span.setAttribute('error.type', 'incomplete')
  span.end()
}

function readHeader({ headers }: IncomingMessage, name: string): string | undefined {
  const value = headers[name]
  return typeof value === 'string' ? value : undefined
}
