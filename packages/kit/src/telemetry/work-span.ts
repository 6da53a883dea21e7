import {
  context,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  type Attributes,
  type Span,
} from '@opentelemetry/api'
import { isTracing } from './call-span'
import { extractContext, linksTo, traceparentOf } from './traceparent'

const tracer = trace.getTracer('@sheaf/kit')

const kinds = {
  internal: SpanKind.INTERNAL,
  producer: SpanKind.PRODUCER,
  consumer: SpanKind.CONSUMER,
  client: SpanKind.CLIENT,
} as const

/** Options of a work span. */
export interface WorkOptions {
  /** W3C traceparent of the request; no span is created when it is empty. */
  readonly traceparent: string
  /** `producer` of a message that is consumed later, its `consumer`, or `client` of another system; `internal` by default. */
  readonly kind?: keyof typeof kinds
  readonly attributes?: Attributes
  /** W3C traceparents of other requests that the work serves. */
  readonly links?: readonly string[]
}

/** The span of work that is done for a request outside its calls. */
export class WorkSpan {
  private constructor(private readonly span: Span) {}

  /** Starts a span; undefined for work that is not traced, at no cost. */
  static start(name: string, options: WorkOptions): WorkSpan | undefined {
    const { traceparent, kind = 'internal', attributes, links = [] } = options
    if (traceparent === '' || !isTracing()) return undefined
    const spanOptions = { kind: kinds[kind], attributes, links: linksTo(links) }
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

  /** Runs a function within the span. */
  run<T>(work: () => T): T {
    return context.with(trace.setSpan(ROOT_CONTEXT, this.span), work)
  }

  /**
   * Ends the span.
   * @param reason why the work failed, in fixed words that quote nothing
   */
  end(failed = false, reason?: string): void {
    if (failed) this.span.setStatus({ code: SpanStatusCode.ERROR, message: reason })
    this.span.end()
  }
}
