import { eventually } from '@sheaf/testkit/eventually'
import { createRest } from '@sheaf/testkit/rest'
import { startSheaf } from '@sheaf/testkit/sheaf'
import { startReceiver } from '@sheaf/testkit/webhook-receiver'
import { startOtlpReceiver, type ReceivedSpan } from '../support/otlp-receiver'
import { addTable, newDocument } from '../support/system'
import { addWebhook, allowLoopback, deliveriesTo, requireOk, untilRows } from '../support/webhooks'

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'
/** Span of the client that makes the request. */
const CLIENT = '00f067aa0ba902b7'

/** What no span may contain. */
const hidden = {
  cell: 'a very secret cell',
  authorization: 'Bearer of secrets',
  place: '/a-secret-place',
  closedPlace: '/a-closed-place',
}

/** The span and its ancestors, the span first. */
function lineOf(
  span: ReceivedSpan | undefined,
  spans: readonly ReceivedSpan[],
): readonly ReceivedSpan[] {
  if (!span) return []
  const parent = spans.find(({ spanId }) => spanId === span.parentSpanId)
  return [span, ...lineOf(parent, spans)]
}

describe('the trace of a change', () => {
  it('goes on from the request to the delivery of its webhook, and holds nothing that is secret', async () => {
    await using otlp = await startOtlpReceiver()
    await using receiver = await startReceiver()
    await using sheaf = await startSheaf({
      env: {
        ...allowLoopback,
        OTEL_EXPORTER_OTLP_ENDPOINT: otlp.endpoint,
        OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
        OTEL_METRICS_EXPORTER: 'none',
        OTEL_LOGS_EXPORTER: 'none',
        OTEL_BSP_SCHEDULE_DELAY: '100',
      },
    })
    const rest = createRest(sheaf.url, sheaf.ownerKey)
    const doc = await newDocument(rest)
    await addTable(rest, doc, 'Pets', { Name: 'Text' })
    const records = `${doc}/tables/Pets/records`
    requireOk(await rest.post(records, { body: { records: [{ fields: { Name: 'first' } }] } }))
    const { authorization } = hidden
    const url = `${receiver.url}${hidden.place}`
    const id = await addWebhook(rest, doc, { url, authorization })
    // No receiver listens there: failed attempts are traced, too.
    const closed = {
      url: `http://127.0.0.1:1${hidden.closedPlace}`,
      authorization,
      eventTypes: ['add'],
    }
    const closedId = await addWebhook(rest, doc, closed)
    const path = `${doc}/webhooks/${id}/secret`
    const { secret } = requireOk(await rest.get<{ secret: string }>(path))

    // Until this is delivered, changes may be found in the log rather than by their publication.
    const first = { records: [{ id: 1, fields: { Name: 'changed' } }] }
    requireOk(await rest.patch(records, { body: first }))
    await untilRows(receiver, hidden.place, 1)

    const body = { records: [{ fields: { Name: hidden.cell } }] }
    const headers = { traceparent: `00-${TRACE}-${CLIENT}-01` }
    requireOk(await rest.post(records, { body, headers }))

    // Each process exports its spans independently.
    const { spans, line } = await eventually(() => {
      const spans = otlp.spans.filter(({ traceId }) => traceId === TRACE)
      const deliveries = spans.filter(({ name }) => name === 'sheaf.webhook.deliver')
      expect(deliveries.map(webhookOf)).toContain(closedId)
      const line = lineOf(
        deliveries.find((span) => webhookOf(span) === id),
        spans,
      )
      expect(line.map(({ service, name }) => `${service} ${name}`)).toEqual([
        'sheaf-webhook sheaf.webhook.deliver',
        'sheaf-webhook sheaf.webhook.match',
        'sheaf-document-data sheaf.changes.publish',
        'sheaf-document-data grpc.sheaf.document_data.v1.RecordsService/AddRecords',
        'sheaf-gateway grpc.sheaf.document_data.v1.RecordsService/AddRecords',
        'sheaf-gateway POST /api/docs/{docId}/tables/{tableId}/records',
      ])
      return { spans, line }
    })
    expect(line.at(-1)?.parentSpanId).toBe(CLIENT)
    const transaction = spans.filter(({ name }) => name === 'sheaf.document.transact')
    expect(transaction).toEqual([
      expect.objectContaining({ service: 'sheaf-document-data', parentSpanId: line[3]?.spanId }),
    ])
    const received = deliveriesTo(receiver, hidden.place).at(-1)
    expect(received?.headers.traceparent).toBe(`00-${TRACE}-${line[0]?.spanId}-01`)

    const told = otlp.texts.join('\n')
    for (const each of [...Object.values(hidden), secret, sheaf.ownerKey])
      expect(told).not.toContain(each)
  })
})

const webhookOf = ({ attributes }: ReceivedSpan) => attributes['sheaf.webhook.id']
