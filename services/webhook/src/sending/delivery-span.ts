import {
  propagation,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  type Span,
} from '@opentelemetry/api'
import { extractContext, linksTo } from '@sheaf/kit/telemetry/traceparent'
import type { PostOutcome } from '../targets/post'

const tracer = trace.getTracer('@sheaf/webhook')

/** The span of one attempt, below the trace that its first event came from; nothing at all for events that were not traced. */
export class DeliverySpan {
  private readonly span: Span | undefined

  /** @param traceparents of the events, with spaces, the first event's first */
  constructor(traceparents: string, attributes: Readonly<Record<string, string | number>>) {
    const [parent = '', ...others] = traceparents.split(' ')
    if (parent === '') return
    const options = {
      kind: SpanKind.CLIENT,
      attributes: { 'http.request.method': 'POST', ...attributes },
      links: linksTo(others),
    }
    this.span = tracer.startSpan('sheaf.webhook.deliver', options, extractContext(parent))
  }

  /** Headers that hand the trace on; none for what is not traced. */
  get headers(): Readonly<Record<string, string>> {
    const carrier: Record<string, string> = {}
    if (this.span) propagation.inject(trace.setSpan(ROOT_CONTEXT, this.span), carrier)
    return carrier
  }

  /** Ends the span; without an outcome the attempt was broken off. */
  end(outcome?: PostOutcome): void {
    const { span } = this
    if (outcome?.httpStatus) span?.setAttribute('http.response.status_code', outcome.httpStatus)
    if (outcome?.error !== null)
      span?.setStatus({ code: SpanStatusCode.ERROR, message: outcome?.error ?? 'broken off' })
    span?.end()
  }
}
