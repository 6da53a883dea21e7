import {
  context,
  createContextKey,
  propagation,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  type Link,
  type Span,
} from '@opentelemetry/api'
import type { PostOutcome } from '../targets/post'

const tracer = trace.getTracer('@sheaf/webhook')

/** What instruments `http` makes no span of its own below this: the attempt itself is the client's span. */
const SUPPRESS = createContextKey('OpenTelemetry SDK Context Key SUPPRESS_TRACING')

/** The span of one attempt, below the trace that its first event came from; nothing at all while telemetry is off. */
export class DeliverySpan {
  private readonly span: Span

  /** @param traceparents of the events, with spaces, the first event's first */
  constructor(traceparents: string, attributes: Readonly<Record<string, string | number>>) {
    const [parent = '', ...others] = traceparents.split(' ')
    const options = {
      kind: SpanKind.CLIENT,
      attributes: { 'http.request.method': 'POST', ...attributes },
      links: others.flatMap(toLink),
    }
    this.span = tracer.startSpan('sheaf.webhook.deliver', options, extract(parent))
  }

  /** Headers that hand the trace on; none while telemetry is off. */
  get headers(): Readonly<Record<string, string>> {
    const carrier: Record<string, string> = {}
    propagation.inject(trace.setSpan(ROOT_CONTEXT, this.span), carrier)
    return carrier
  }

  /** Runs the attempt within the span. */
  run<T>(attempt: () => Promise<T>): Promise<T> {
    return context.with(trace.setSpan(ROOT_CONTEXT, this.span).setValue(SUPPRESS, true), attempt)
  }

  /** Ends the span; without an outcome the attempt was broken off. */
  end(outcome?: PostOutcome): void {
    if (outcome?.httpStatus) this.span.setAttribute('http.response.status_code', outcome.httpStatus)
    if (outcome?.error !== null)
      this.span.setStatus({ code: SpanStatusCode.ERROR, message: outcome?.error ?? 'broken off' })
    this.span.end()
  }
}

const extract = (traceparent: string) => propagation.extract(ROOT_CONTEXT, { traceparent })

function toLink(traceparent: string): Link[] {
  const linked = trace.getSpanContext(extract(traceparent))
  return linked ? [{ context: linked }] : []
}
