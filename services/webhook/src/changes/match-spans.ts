import { isTracing } from '@sheaf/kit/telemetry/call-span'
import { extractContext, traceparentOf } from '@sheaf/kit/telemetry/traceparent'
import {
  context,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  type Span,
} from '@opentelemetry/api'
import type { ChangeEvent } from '@sheaf/protos/sheaf/events/v1/changes'

const tracer = trace.getTracer('@sheaf/webhook')

interface Message {
  readonly entries: readonly ChangeEvent[]
  readonly traceparent: string
}

/** Spans of matched messages, each a child of its publication. They cost nothing without tracing. */
export class MatchSpans {
  private readonly spans: Span[] = []
  /** The traceparent for an entry that was published within a trace. */
  private readonly bySeq = new Map<number, string>()

  constructor(messages: readonly Message[]) {
    if (!isTracing()) return
    for (const { entries, traceparent } of messages) {
      if (traceparent === '') continue
      const attributes = {
        'messaging.system': 'nats',
        'messaging.batch.message_count': entries.length,
        'sheaf.seq': entries[0]?.seq ?? 0,
      }
      const options = { kind: SpanKind.CONSUMER, attributes }
      const span = tracer.startSpan('sheaf.webhook.match', options, extractContext(traceparent))
      this.spans.push(span)
      const own = traceparentOf(span)
      for (const entry of entries)
        if (isSameTrace(own, entry.traceparent)) this.bySeq.set(entry.seq, own)
    }
  }

  /** Runs the work that the messages cause, as a child of the first span. */
  run<T>(work: () => Promise<T>): Promise<T> {
    const [first] = this.spans
    return first ? context.with(trace.setSpan(ROOT_CONTEXT, first), work) : work()
  }

  /**
   * Returns the traceparent of an entry's events, so that their deliveries join the trace of the request that
   * caused them.
   */
  traceparentOf({ seq, traceparent }: ChangeEvent): string {
    return this.bySeq.get(seq) ?? traceparent
  }

  /** Ends the spans, with an error if given. */
  end(error?: unknown): void {
    for (const span of this.spans) {
      if (error !== undefined) span.setStatus({ code: SpanStatusCode.ERROR })
      span.end()
    }
  }
}

function isSameTrace(a: string, b: string): boolean {
  const [, traceId] = a.split('-')
  return traceId !== undefined && traceId === b.split('-')[1]
}
