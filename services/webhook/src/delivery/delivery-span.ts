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

/** The span of one attempt, a child of its first event's trace; does nothing for events without a trace. */
export class DeliverySpan {
  private readonly span: Span | undefined

  /** @param traceparents of the events, separated by spaces, the first event's first */
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

  /** Headers that propagate the trace; empty without a trace. */
  get headers(): Readonly<Record<string, string>> {
    const carrier: Record<string, string> = {}
    if (this.span) propagation.inject(trace.setSpan(ROOT_CONTEXT, this.span), carrier)
    return carrier
  }

  /** Ends the span; without an outcome the attempt was cancelled. */
  end(outcome?: PostOutcome): void {
    const { span } = this
    if (outcome?.httpStatus) span?.setAttribute('http.response.status_code', outcome.httpStatus)
    if (outcome?.error !== null)
      span?.setStatus({ code: SpanStatusCode.ERROR, message: outcome?.error ?? 'interrupted' })
    span?.end()
  }
}
