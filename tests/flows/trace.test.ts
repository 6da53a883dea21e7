import { connectNats } from '@sheaf/kit/nats'
import { createLogger } from '@sheaf/kit/logger'
import { ChangeBatch } from '@sheaf/protos/sheaf/events/v1/changes'
import { testEngines } from '@sheaf/testkit/engines'
import { eventually } from '@sheaf/testkit/eventually'
import { createRest } from '@sheaf/testkit/rest'
import { startSheaf } from '@sheaf/testkit/sheaf'
import { startOtlpReceiver, type ReceivedSpan } from '../support/otlp-receiver'
import { addRecords, addTable, newDocument } from '../support/system'

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'

/** True when the span has an ancestor in that service. */
function isBelow(span: ReceivedSpan, service: string, spans: readonly ReceivedSpan[]): boolean {
  const parent = spans.find(({ spanId }) => spanId === span.parentSpanId)
  return parent !== undefined && (parent.service === service || isBelow(parent, service, spans))
}

describe('one trace', () => {
  it('joins a request, its gRPC calls and its change event, and holds no key, no link and no cell value', async () => {
    await using receiver = await startOtlpReceiver()
    await using sheaf = await startSheaf({
      env: {
        OTEL_EXPORTER_OTLP_ENDPOINT: receiver.endpoint,
        OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
        OTEL_METRIC_EXPORT_INTERVAL: '300',
        OTEL_METRIC_EXPORT_TIMEOUT: '300',
        OTEL_LOGS_EXPORTER: 'none',
        OTEL_BSP_SCHEDULE_DELAY: '100',
      },
    })
    const rest = createRest(sheaf.url, sheaf.ownerKey)
    const doc = await newDocument(rest)
    await addTable(rest, doc, 'Notes', { Text: 'Text' })
    const log = createLogger('test')
    const nats = await connectNats({ url: testEngines().natsUrl, name: 'test', log })
    const events: { traceparent: string; seq: number; header: string }[] = []
    nats.subscribe(`sheaf.changes.${doc.split('/').pop()}`, {
      callback: (_, message) => {
        for (const { traceparent, seq } of ChangeBatch.decode(message.data).changes)
          events.push({ traceparent, seq, header: message.headers?.get('traceparent') ?? '' })
      },
    })
    await nats.flush()

    const traceparent = `00-${TRACE}-00f067aa0ba902b7-01`
    const added = await rest.post(`${doc}/tables/Notes/records`, {
      body: { records: [{ fields: { Text: 'a very secret cell' } }] },
      headers: { traceparent },
    })
    expect(added.status).toBe(200)
    await addRecords(rest, `${doc}/tables/Notes`, [{ Text: 'outside the trace' }])
    await rest.get('/sign-in/link', { query: { token: 'a-very-secret-link' } })

    await eventually(() => {
      const spans = receiver.spans.filter(({ traceId }) => traceId === TRACE)
      const inDocumentData = spans.filter(({ service }) => service === 'sheaf-document-data')
      expect(inDocumentData.some((span) => isBelow(span, 'sheaf-gateway', spans))).toBe(true)
      expect(events.filter((event) => event.traceparent.includes(TRACE)).length).toBe(1)
      expect(inDocumentData.map(({ name }) => name)).toEqual(
        expect.arrayContaining(['sheaf.document.transact', 'sheaf.changes.publish']),
      )
      expect(receiver.spans.some(({ name }) => name.includes('/sign-in/link'))).toBe(true)
    })
    const spans = receiver.spans.filter(({ traceId }) => traceId === TRACE)
    const find = (test: (span: ReceivedSpan) => boolean) => {
      const found = spans.filter(test)
      expect(found).toHaveLength(1)
      return found[0] as ReceivedSpan
    }
    const call = find(
      ({ service, name }) => service === 'sheaf-document-data' && name.endsWith('/AddRecords'),
    )
    const transact = find(({ name }) => name === 'sheaf.document.transact')
    const publish = find(({ name }) => name === 'sheaf.changes.publish')
    const event = events.find(({ traceparent }) => traceparent.includes(TRACE))
    expect(isBelow(call, 'sheaf-gateway', spans)).toBe(true)
    expect(transact).toMatchObject({ service: call.service, parentSpanId: call.spanId })
    expect(publish).toMatchObject({ service: call.service, parentSpanId: call.spanId })
    expect(event?.traceparent).toBe(`00-${TRACE}-${call.spanId}-01`)
    expect(event?.header).toBe(`00-${TRACE}-${publish.spanId}-01`)
    expect(Object.keys(transact.attributes).sort()).toEqual([
      'sheaf.apply_ms',
      'sheaf.commit_ms',
      'sheaf.queue_ms',
      'sheaf.rows',
      'sheaf.tables',
    ])
    expect(
      [transact.attributes['sheaf.rows'], transact.attributes['sheaf.tables']].map(Number),
    ).toEqual([1, 1])
    await eventually(() => expect(receiver.metrics.get('sheaf.events.backlog')).toBe(0))
    const everything = JSON.stringify(receiver.spans)
    expect(everything).not.toContain('secret cell')
    expect(everything).not.toContain(sheaf.ownerKey)
    expect(everything).not.toContain('secret-link')
    await nats.close()
  })
})
