import { eventually } from '@sheaf/testkit/eventually'
import { SlowRequests } from '../src/slow-requests'

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'
const attribute = (key: string, value: object) => ({ key, value })

interface SpanFacts {
  readonly name: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly ms: readonly [from: number, to: number]
  readonly attributes?: readonly object[]
}

/** What a process sends of its spans. */
const toOtlp = (service: string, spans: readonly SpanFacts[]) => ({
  resourceSpans: [
    {
      resource: { attributes: [attribute('service.name', { stringValue: service })] },
      scopeSpans: [
        {
          spans: spans.map(({ ms: [from, to], ...facts }) => ({
            traceId: TRACE,
            startTimeUnixNano: `17000000000${String(from).padStart(2, '0')}000000`,
            endTimeUnixNano: `17000000000${String(to).padStart(2, '0')}000000`,
            ...facts,
          })),
        },
      ],
    },
  ],
})

describe('slow requests', () => {
  it('are printed as a tree of the spans of all processes, and fast ones are not', async () => {
    const lines: string[] = []
    await using requests = new SlowRequests({ slowMs: 50, print: (line) => lines.push(line) })
    const { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: url = '' } = await requests.start()
    const send = (body: object | string) =>
      fetch(url, { method: 'POST', body: typeof body === 'string' ? body : JSON.stringify(body) })
    const ended = send('{"broken').catch(() => 'the connection is closed')
    expect(await ended).toBe('the connection is closed')
    const quick = { name: 'GET /api/orgs', spanId: 'a', ms: [1, 9] } as const
    const slow = { name: 'POST /api/docs', spanId: 'b', ms: [10, 80] } as const
    const answered = await send(toOtlp('sheaf-gateway', [quick, slow]))
    expect(answered.status).toBe(200)
    const attributes = [
      attribute('sheaf.commit_ms', { doubleValue: 66.66 }),
      attribute('sheaf.rows', { intValue: 3 }),
      attribute('other', { stringValue: 'not shown' }),
    ]
    const below = { parentSpanId: 'b', spanId: 'c', ms: [12, 79], attributes } as const
    await send(toOtlp('sheaf-document-data', [{ name: 'sheaf.document.transact', ...below }]))
    await eventually(() => expect(lines).toHaveLength(3))
    expect(lines).toEqual([
      `slow request, trace ${TRACE}:`,
      '   +0.0 ms     70.0 ms  gateway        POST /api/docs',
      '   +2.0 ms     67.0 ms  document-data    sheaf.document.transact  commit_ms=66.7  rows=3',
    ])
  })
})
