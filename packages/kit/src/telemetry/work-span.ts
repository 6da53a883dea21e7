import { SpanKind, SpanStatusCode, trace, type Attributes, type Span } from '@opentelemetry/api'
import { isTracing } from './call-span'
import { extractContext, linksTo, traceparentOf } from './traceparent'

const tracer = trace.getTracer('@sheaf/kit')

/** Options of a work span. */
export interface WorkOptions {
  /** W3C traceparent of the request; no span is created when it is empty. */
  readonly traceparent: string
  /** True for a message that is consumed later. */
  readonly isProducer?: boolean
  readonly attributes?: Attributes
  /** W3C traceparents of other requests that the work serves. */
  readonly links?: readonly string[]
}

/** The span of work that is done for a request outside its calls. */
export class WorkSpan {
  private constructor(private readonly span: Span) {}

  /** Starts a span; undefined for work that is not traced, at no cost. */
  static start(name: string, options: WorkOptions): WorkSpan | undefined {
    const { traceparent, isProducer, attributes, links = [] } = options
    if (traceparent === '' || !isTracing()) return undefined
    const kind = isProducer ? SpanKind.PRODUCER : SpanKind.INTERNAL
    const spanOptions = { kind, attributes, links: linksTo(links) }
    return new WorkSpan(tracer.startSpan(name, spanOptions, extractContext(traceparent)))
  }

  /** W3C traceparent for messages that the work sends. */
  get traceparent(): string {
    return traceparentOf(this.span)
  }

  /** Adds attributes; never keys, tokens or cell values. */
  set(attributes: Attributes): void {
    this.span.setAttributes(attributes)
  }

  /** Ends the span. */
  end(failed = false): void {
    if (failed) this.span.setStatus({ code: SpanStatusCode.ERROR })
    this.span.end()
  }
}
