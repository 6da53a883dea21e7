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

/** Spans of messages that are matched, each below its publication. They cost nothing while nobody traces. */
export class MatchSpans {
  private readonly spans: Span[] = []
  /** What continues the trace of an entry that was published within it. */
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

  /** Runs what the messages cause; what it calls is below the first of them. */
  run<T>(work: () => Promise<T>): Promise<T> {
    const [first] = this.spans
    return first ? context.with(trace.setSpan(ROOT_CONTEXT, first), work) : work()
  }

  /** What an event of the entry carries, so that its delivery joins the trace of the request that caused it. */
  traceparentOf({ seq, traceparent }: ChangeEvent): string {
    return this.bySeq.get(seq) ?? traceparent
  }

  /** Ends the spans, with the error if there was one. */
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
