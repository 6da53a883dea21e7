import {
  propagation,
  ROOT_CONTEXT,
  SpanStatusCode,
  trace,
  type Attributes,
  SpanKind,
  type Link,
  type Span,
} from '@opentelemetry/api'

const tracer = trace.getTracer('@sheaf/kit')

/** What a span of work begins with. */
export interface WorkOptions {
  /** W3C traceparent of what asked for it; none, and there is no span. */
  readonly traceparent: string
  /** True for a message that others take later. */
  readonly isProducer?: boolean
  readonly attributes?: Attributes
  /** W3C traceparents of what else it is for. */
  readonly links?: readonly string[]
}

/** The span of work that is done for a request after, or beside, its calls. */
export class WorkSpan {
  private constructor(private readonly span: Span) {}

  /** Begins one; undefined where no trace is wanted, which costs nothing. */
  static start(name: string, options: WorkOptions): WorkSpan | undefined {
    const { traceparent, isProducer, attributes, links = [] } = options
    if (traceparent === '' || propagation.fields().length === 0) return undefined
    const parent = extract(traceparent)
    const linked = links.flatMap((link): Link[] => {
      const context = trace.getSpanContext(extract(link))
      return context ? [{ context }] : []
    })
    const kind = isProducer ? SpanKind.PRODUCER : SpanKind.INTERNAL
    return new WorkSpan(tracer.startSpan(name, { kind, attributes, links: linked }, parent))
  }

  /** W3C trace context to send along. */
  get traceparent(): string {
    const carrier: Record<string, string> = {}
    propagation.inject(trace.setSpan(ROOT_CONTEXT, this.span), carrier)
    return carrier.traceparent ?? ''
  }

  /** Adds facts; never keys, tokens or cell values. */
  set(attributes: Attributes): void {
    this.span.setAttributes(attributes)
  }

  /** Ends it, well or not. */
  end(failed = false): void {
    if (failed) this.span.setStatus({ code: SpanStatusCode.ERROR })
    this.span.end()
  }
}

function extract(traceparent: string) {
  return propagation.extract(ROOT_CONTEXT, { traceparent })
}
