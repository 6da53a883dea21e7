import { propagation, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api'
import { core, tracing } from '@opentelemetry/sdk-node'
import { DeliverySpan } from './delivery-span'

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'
const FIRST = `00-${TRACE}-00f067aa0ba902b7-01`
const OTHER = '00-aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa-1111111111111111-01'

const outcome = { httpStatus: 503, durationMs: 1, error: 'status 503', excerpt: '' }

describe('DeliverySpan', () => {
  const exporter = new tracing.InMemorySpanExporter()
  beforeAll(() => {
    const spanProcessors = [new tracing.SimpleSpanProcessor(exporter)]
    trace.setGlobalTracerProvider(new tracing.BasicTracerProvider({ spanProcessors }))
    propagation.setGlobalPropagator(new core.W3CTraceContextPropagator())
  })
  afterEach(() => exporter.reset())
  afterAll(() => {
    trace.disable()
    propagation.disable()
  })

  it('continues the trace of its first event at the receiver, and is linked to the others', () => {
    const span = new DeliverySpan(`${FIRST} ${OTHER}`, { 'sheaf.webhook.id': 'w' })
    const { headers } = span
    span.end(outcome)
    const [found] = exporter.getFinishedSpans()
    expect(found).toMatchObject({
      name: 'sheaf.webhook.deliver',
      kind: SpanKind.CLIENT,
      parentSpanContext: { traceId: TRACE, spanId: '00f067aa0ba902b7' },
      links: [{ context: { spanId: '1111111111111111' } }],
      status: { code: SpanStatusCode.ERROR, message: 'status 503' },
    })
    expect(found?.attributes).toEqual({
      'http.request.method': 'POST',
      'http.response.status_code': 503,
      'sheaf.webhook.id': 'w',
    })
    expect(headers).toEqual({ traceparent: `00-${TRACE}-${found?.spanContext().spanId}-01` })
  })

  it('is a failure only when the attempt failed or was interrupted', () => {
    new DeliverySpan(FIRST, {}).end({ ...outcome, httpStatus: 200, error: null })
    new DeliverySpan(FIRST, {}).end()
    expect(exporter.getFinishedSpans().map(({ status }) => status)).toEqual([
      { code: SpanStatusCode.UNSET },
      { code: SpanStatusCode.ERROR, message: 'interrupted' },
    ])
  })

  it('adds no headers to deliveries of events without a trace', () => {
    const span = new DeliverySpan('', {})
    expect(span.headers).toEqual({})
    span.end(outcome)
    expect(exporter.getFinishedSpans()).toEqual([])
  })
})
