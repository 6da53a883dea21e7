import { context, propagation, trace } from '@opentelemetry/api'
import { core, tracing } from '@opentelemetry/sdk-node'
import type { ChangeEvent } from '@sheaf/protos/sheaf/events/v1/changes'
import { MatchSpans } from './match-spans'

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'
const PUBLISHED = `00-${TRACE}-00f067aa0ba902b7-01`
const OTHER = '00-aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa-00f067aa0ba902b7-01'

const entry = (seq: number, traceparent: string) => ({ seq, traceparent }) as ChangeEvent
const messages = [
  {
    traceparent: PUBLISHED,
    entries: [entry(1, `00-${TRACE}-1111111111111111-01`), entry(2, OTHER)],
  },
]

describe('MatchSpans', () => {
  afterEach(() => {
    trace.disable()
    propagation.disable()
    context.disable()
  })

  it('puts a span below the publication, which events of the same trace continue', async () => {
    const exporter = new tracing.InMemorySpanExporter()
    const provider = new tracing.BasicTracerProvider({
      spanProcessors: [new tracing.SimpleSpanProcessor(exporter)],
    })
    trace.setGlobalTracerProvider(provider)
    propagation.setGlobalPropagator(new core.W3CTraceContextPropagator())
    const spans = new MatchSpans(messages)
    const own = spans.traceparentOf(entry(1, `00-${TRACE}-1111111111111111-01`))
    expect(spans.traceparentOf(entry(2, OTHER))).toBe(OTHER)
    expect(spans.traceparentOf(entry(3, PUBLISHED))).toBe(PUBLISHED)
    expect(await spans.run(() => Promise.resolve('done'))).toBe('done')
    spans.end(new Error('away'))
    const [span, ...others] = exporter.getFinishedSpans()
    expect(others).toEqual([])
    expect(span?.name).toBe('sheaf.webhook.match')
    expect(span?.parentSpanContext?.spanId).toBe('00f067aa0ba902b7')
    expect(own).toBe(`00-${TRACE}-${span?.spanContext().spanId}-01`)
    expect(span?.status.code).toBe(2)
  })

  it('leaves everything as it is while nobody traces', async () => {
    const spans = new MatchSpans(messages)
    expect(spans.traceparentOf(entry(1, OTHER))).toBe(OTHER)
    expect(await spans.run(() => Promise.resolve('done'))).toBe('done')
    spans.end()
  })
})
