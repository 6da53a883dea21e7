import {
  context,
  propagation,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api'
import type { Span } from '@opentelemetry/api'

const tracer = trace.getTracer('@sheaf/kit')

/** True when spans go anywhere: a span of nobody's costs more than asking. */
export function isTracing(): boolean {
  return propagation.fields().length > 0
}

/**
 * The span of one call, over whichever transport. It tells the status of an error and never its text, which may quote what
 * the caller has said.
 */
export class CallSpan {
  private constructor(private readonly span: Span) {}

  /** The span of a call that goes out, below the active one; undefined when there is none. */
  static ofClient(path: string): CallSpan | undefined {
    if (!trace.getActiveSpan()?.isRecording()) return undefined
    return new CallSpan(
      tracer.startSpan(nameOf(path), { kind: SpanKind.CLIENT, attributes: attributesOf(path) }),
    )
  }

  /** The span of a call that came in, below the one that its caller names; undefined when it names none. */
  static ofServer(path: string, traceparent: string): CallSpan | undefined {
    if (traceparent === '') return undefined
    const parent = propagation.extract(ROOT_CONTEXT, { traceparent })
    const options = { kind: SpanKind.SERVER, attributes: attributesOf(path) }
    return new CallSpan(tracer.startSpan(nameOf(path), options, parent))
  }

  /** W3C trace context to send along. */
  get traceparent(): string {
    const carrier: Record<string, string> = {}
    propagation.inject(trace.setSpan(context.active(), this.span), carrier)
    return carrier.traceparent ?? ''
  }

  /** Runs what happens within the span. */
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
