import { WorkSpan } from '@sheaf/kit/telemetry/work-span'
import type { PostOutcome } from '../targets/post'

/** The span of one attempt, a child of its first event's trace; does nothing for events without a trace. */
export class DeliverySpan {
  private readonly span: WorkSpan | undefined

  /** @param traceparents of the events, separated by spaces, the first event's first */
  constructor(traceparents: string, attributes: Readonly<Record<string, string | number>>) {
    const [traceparent = '', ...links] = traceparents.split(' ')
    this.span = WorkSpan.start('sheaf.webhook.deliver', {
      traceparent,
      kind: 'client',
      attributes: { 'http.request.method': 'POST', ...attributes },
      links,
    })
  }

  /** Headers that propagate the trace; empty without a trace. */
  get headers(): Readonly<Record<string, string>> {
    return this.span ? { traceparent: this.span.traceparent } : {}
  }

  /** Ends the span; without an outcome the attempt was cancelled. */
  end(outcome?: PostOutcome): void {
    const { error, httpStatus } = outcome ?? { error: 'interrupted' }
    if (httpStatus) this.span?.set({ 'http.response.status_code': httpStatus })
    this.span?.end(error !== null, error ?? undefined)
  }
}
