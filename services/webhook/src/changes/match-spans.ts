import { WorkSpan } from '@sheaf/kit/telemetry/work-span'
import type { ChangeEvent } from '@sheaf/protos/sheaf/events/v1/changes'

interface Message {
  readonly entries: readonly ChangeEvent[]
  readonly traceparent: string
}

/** Spans of matched messages, each a child of its publication. They cost nothing without tracing. */
export class MatchSpans {
  private readonly spans: WorkSpan[] = []
  /** The traceparent for an entry that was published within a trace. */
  private readonly bySeq = new Map<number, string>()

  constructor(messages: readonly Message[]) {
    for (const { entries, traceparent } of messages) {
      const attributes = {
        'messaging.system': 'nats',
        'messaging.batch.message_count': entries.length,
        'sheaf.seq': entries[0]?.seq ?? 0,
      }
      const options = { traceparent, kind: 'consumer' as const, attributes }
      const span = WorkSpan.start('sheaf.webhook.match', options)
      if (!span) continue
      this.spans.push(span)
      const own = span.traceparent
      for (const entry of entries)
        if (isSameTrace(own, entry.traceparent)) this.bySeq.set(entry.seq, own)
    }
  }

  /** Runs the work that the messages cause, as a child of the first span. */
  run<T>(work: () => Promise<T>): Promise<T> {
    const [first] = this.spans
    return first ? first.run(work) : work()
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
    for (const span of this.spans) span.end(error !== undefined)
  }
}

function isSameTrace(a: string, b: string): boolean {
  const [, traceId] = a.split('-')
  return traceId !== undefined && traceId === b.split('-')[1]
}
