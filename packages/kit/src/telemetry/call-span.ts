import {
  context,
  propagation,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api'
import type { Span } from '@opentelemetry/api'
import { extractContext, traceparentOf } from './traceparent'

const tracer = trace.getTracer('@sheaf/kit')

/** True when spans are exported. Asking is cheaper than creating a span that is dropped. */
export function isTracing(): boolean {
  return propagation.fields().length > 0
}

/**
 * The span of one call, over either transport. It holds the status of an error but never its text, which may quote the
 * caller's input.
 */
export class CallSpan {
  private constructor(private readonly span: Span) {}

  /** Starts the span of an outgoing call as a child of the active span; undefined when there is none. */
  static ofClient(path: string): CallSpan | undefined {
    if (!trace.getActiveSpan()?.isRecording()) return undefined
    return new CallSpan(
      tracer.startSpan(nameOf(path), { kind: SpanKind.CLIENT, attributes: attributesOf(path) }),
    )
  }

  /** Starts the span of an incoming call as a child of the caller's span; undefined when the caller sent none. */
  static ofServer(path: string, traceparent: string): CallSpan | undefined {
    if (traceparent === '') return undefined
    const options = { kind: SpanKind.SERVER, attributes: attributesOf(path) }
    return new CallSpan(tracer.startSpan(nameOf(path), options, extractContext(traceparent)))
  }

  /** W3C traceparent for the call's metadata. */
  get traceparent(): string {
    return traceparentOf(this.span)
  }

  /** Runs a function within the span. */
  run<T>(work: () => T): T {
    return context.with(trace.setSpan(ROOT_CONTEXT, this.span), work)
  }

  /** Ends the span with the gRPC status of its call. */
  end(status: number): void {
    this.span.setAttribute('rpc.grpc.status_code', status)
    if (status !== 0) this.span.setStatus({ code: SpanStatusCode.ERROR })
    this.span.end()
  }
}

const nameOf = (path: string) => `grpc.${path.slice(1)}`

function attributesOf(path: string) {
  const [, service = '', method = ''] = path.split('/')
  return { 'rpc.system': 'grpc', 'rpc.service': service, 'rpc.method': method }
}
