import { randomBytes, randomInt } from 'node:crypto'
import { eventually } from '@sheaf/testkit/eventually'
import { createRest, type Rest } from '@sheaf/testkit/rest'
import { startSheaf, type RunningSheaf } from '@sheaf/testkit/sheaf'
import { startReceiver } from '@sheaf/testkit/webhook-receiver'
import { listMetrics } from '../support/defined-metrics'
import { startOtlpReceiver, type OtlpReceiver, type ReceivedSpan } from '../support/otlp-receiver'
import { readSamples, seriesOf, type Sample } from '../support/prometheus-text'
import { addTable, newDocument } from '../support/system'
import { namesIn } from '../support/telemetry-page'
import { addWebhook, allowLoopback, requireOk } from '../support/webhooks'

/** Unique texts, one for each place where a client can send text. */
class Canaries {
  readonly all: string[] = []

  text(): string {
    const canary = `canary${randomBytes(8).toString('hex')}`
    this.all.push(canary)
    return canary
  }

  number(): number {
    const canary = randomInt(1e12, 9e12) + 0.5
    this.all.push(String(canary))
    return canary
  }
}

const TRACE = randomBytes(16).toString('hex')
const traceparent = `00-${TRACE}-${randomBytes(8).toString('hex')}-01`

/**
 * Sends these texts everywhere that a client can, in requests that succeed and in others that fail. Resolves
 * to a table with a webhook.
 */
async function sayEverything(rest: Rest, url: string, canaries: Canaries): Promise<string> {
  const doc = await newDocument(rest, canaries.text())
  await addTable(rest, doc, 'Pets', { Name: 'Text', Weight: 'Numeric', Tags: 'ChoiceList' })
  const hook = { url: `${url}/${canaries.text()}`, authorization: canaries.text() }
  await addWebhook(rest, doc, { ...hook, memo: canaries.text(), name: canaries.text() })
  const table = `${doc}/tables/Pets`
  const fields = { Name: canaries.text(), Weight: canaries.number(), Tags: ['L', canaries.text()] }
  const headers = { traceparent }
  const added = await rest.post(`${table}/records`, { body: { records: [{ fields }] }, headers })
  requireOk(added)
  expect(added.headers.get('server-timing')).toMatch(
    new RegExp(
      `^access;dur=[\\d.]+, total;dur=[\\d.]+, traceparent;desc="00-${TRACE}-\\w{16}-01"$`,
    ),
  )
  const { get, post, patch, put } = rest
  await get(`${table}/records`)
  await get(`${table}/records`, { query: { filter: { Name: [canaries.text()] } } })
  await get(`${table}/records`, { query: { sort: canaries.text() } })
  const query = `select * from Pets where Name = '${canaries.text()}'`
  await get(`${doc}/sql`, { query: { q: query } })
  await post(`${doc}/sql`, {
    body: { sql: `select ? ${canaries.text()}`, args: [canaries.text()] },
  })
  await patch(`${table}/records`, {
    body: { records: [{ id: 1, fields: { No: canaries.text() } }] },
  })
  const where = { require: { Name: canaries.text() }, fields: { Weight: canaries.number() } }
  await put(`${table}/records`, { body: { records: [where] } })
  await post(`${doc}/apply`, { body: [['UpdateRecord', 'Pets', 1, { Name: canaries.text() }]] })
  await post(`${table}/records`, { body: `{"broken": "${canaries.text()}` })
  await addFormula(rest, table, canaries)
  const params = { name: 'query', arguments: { docId: canaries.text(), sql: canaries.text() } }
  requireOk(await post('/mcp', { body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params } }))
  const form = new FormData()
  form.append('upload', new Blob([canaries.text()]), `${canaries.text()}.txt`)
  requireOk(await post(`${doc}/attachments`, { body: form }))
  await get('/sign-in/link', { query: { token: canaries.text() } })
  await createRest(rest.url, canaries.text()).get('/api/orgs')
  await get(`/api/${canaries.text()}`, { headers: { cookie: `sheaf_session=${canaries.text()}` } })
  return table
}

/** Adds a formula column and a record on which it depends: its text, its result and its error are canaries. */
async function addFormula(rest: Rest, table: string, canaries: Canaries): Promise<void> {
  const formula = `raise ValueError('${canaries.text()}') if $Weight else '${canaries.text()}'`
  const column = { id: canaries.text(), fields: { formula, isFormula: true } }
  requireOk(await rest.post(`${table}/columns`, { body: { columns: [column] } }))
  const fields = { Name: canaries.text(), Weight: canaries.number() }
  const body = { records: [{ fields }] }
  requireOk(await rest.post(`${table}/records`, { body, headers: { traceparent } }))
}

/** Adds an empty record within the trace. */
function addRecord(rest: Rest, table: string) {
  return rest.post(`${table}/records`, {
    body: { records: [{ fields: {} }] },
    headers: { traceparent },
  })
}

/** Names of the spans that webhook adds to the trace. */
function namesInWebhook(spans: readonly ReceivedSpan[]): string[] {
  return spans
    .filter(({ traceId, service }) => traceId === TRACE && service === 'sheaf-webhook')
    .map(({ name }) => name)
}

/** The metrics of all four processes. */
async function scrape(sheaf: RunningSheaf): Promise<string> {
  const found = [...sheaf.output().matchAll(/"address":"([\d.:]+)","msg":"serving metrics"/g)]
  expect(found).toHaveLength(4)
  const texts = found.map(async ([, address]) => (await fetch(`http://${address}/metrics`)).text())
  return (await Promise.all(texts)).join('\n')
}

/** The parsed lines of the log. */
function readLog(sheaf: RunningSheaf): Record<string, unknown>[] {
  return [...sheaf.output().matchAll(/^\S+ (\{.*\})$/gm)].map(
    ([, line = '']) => JSON.parse(line) as Record<string, unknown>,
  )
}

const unique = (names: Iterable<string>) => [...new Set(names)].sort()

/** Those of `names` that the page does not list; words in angle brackets on the page are placeholders. */
function unlisted(heading: string, names: Iterable<string>): string[] {
  const patterns = namesIn(heading).map(
    (name) =>
      new RegExp(
        `^${name
          .replaceAll(/[.*+?$(){}]/g, '\\$&')
          .replaceAll(/<[A-Z]+>/g, '[A-Z]+')
          .replaceAll(/<[^>]+>/g, '.+')}$`,
      ),
  )
  return unique(names).filter((name) => !patterns.some((pattern) => pattern.test(name)))
}

describe('telemetry', () => {
  let otlp: OtlpReceiver
  let sheaf: RunningSheaf
  let spans: readonly ReceivedSpan[]
  let metrics: string
  let samples: Sample[]
  const canaries = new Canaries()

  beforeAll(async () => {
    otlp = await startOtlpReceiver()
    await using receiver = await startReceiver()
    sheaf = await startSheaf({
      env: {
        ...allowLoopback,
        SHEAF_LOG_LEVEL: 'debug',
        SHEAF_METRICS_LISTEN: '127.0.0.1:0',
        // Appends to the log in PostgreSQL have metrics of their own.
        SHEAF_REPLICATED: 'true',
        OTEL_EXPORTER_OTLP_ENDPOINT: otlp.endpoint,
        OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
        OTEL_BSP_SCHEDULE_DELAY: '100',
      },
    })
    const rest = createRest(sheaf.url, sheaf.ownerKey)
    const table = await sayEverything(rest, receiver.url, canaries)
    await eventually(async () => {
      // Until webhook subscribes to the stream, it reads changes from the log of the document, without the
      // trace of a request.
      requireOk(await addRecord(rest, table))
      const wanted = ['postgresql.COMMIT', 'sheaf.webhook.deliver']
      expect(namesInWebhook(otlp.spans)).toEqual(expect.arrayContaining(wanted))
    })
    metrics = await scrape(sheaf)
    samples = readSamples(metrics)
    spans = otlp.spans
  })
  afterAll(async () => {
    await sheaf[Symbol.asyncDispose]()
    await otlp[Symbol.asyncDispose]()
  })

  it('tells nothing that a client has said in values, keys, filters, SQL or addresses', () => {
    const told = [...otlp.texts, metrics, sheaf.output()].join('\n')
    expect(canaries.all.length).toBeGreaterThan(20)
    expect(canaries.all.filter((canary) => told.includes(canary))).toEqual([])
    expect([...otlp.texts, metrics].join('\n')).not.toContain(sheaf.ownerKey)
  })

  it('joins the SQL of PostgreSQL to the request that it is for', () => {
    const parentOf = (span?: ReceivedSpan) =>
      spans.find(({ spanId }) => spanId === span?.parentSpanId)
    const lines = spans
      .filter(({ name }) => name === 'postgresql.SELECT')
      .map((span) => [span, parentOf(span), parentOf(parentOf(span))])
      .map((line) => line.map((span) => span?.service).join(' < '))
    expect(lines).toContain('sheaf-directory < sheaf-directory < sheaf-gateway')
    expect(namesInWebhook(spans)).toContain('postgresql.COMMIT')
  })

  it('names spans and attributes as the page lists them', () => {
    expect(
      unlisted(
        'Spans',
        spans.map(({ name }) => name),
      ),
    ).toEqual([])
    const attributes = spans.flatMap((span) => Object.keys(span.attributes))
    expect(unlisted('Attributes', attributes)).toEqual([])
  })

  it('serves each metric under its name with the labels that it declares, and no other metric', () => {
    const declared = new Map(listMetrics().flatMap((metric) => [...seriesOf(metric)]))
    const served = samples.filter(({ name }) => name !== 'target_info')
    expect(unique(served.map(({ name }) => name))).toEqual(unique(declared.keys()))
    for (const { name, labels } of served) {
      const own = Object.keys(labels).filter((label) => !label.startsWith('otel_scope_'))
      expect([name, own.sort()]).toEqual([name, declared.get(name)?.sort()])
    }
  })

  it('labels requests by the template of their route', () => {
    const routes = samples
      .filter(({ name }) => name === 'http_server_request_duration_seconds_count')
      .map(({ labels }) => labels.http_route)
    expect(routes).toEqual(
      expect.arrayContaining(['/api/docs/{docId}/tables/{tableId}/records', 'none']),
    )
  })

  it('writes a line for each request, with its trace, and only fields that the page lists', () => {
    const lines = readLog(sheaf)
    expect(lines).toContainEqual(
      expect.objectContaining({
        level: 30,
        service: 'gateway',
        msg: 'request',
        trace_id: TRACE,
        method: 'POST',
        route: '/api/docs/{docId}/tables/{tableId}/records',
        status: 200,
        requestId: expect.any(String) as unknown,
        ms: expect.any(Number) as unknown,
        userId: expect.any(Number) as unknown,
      }),
    )
    expect(lines).toContainEqual(
      expect.objectContaining({ msg: 'request', route: '/mcp', tool: 'query' }),
    )
    expect(unlisted('Log fields', lines.flatMap(Object.keys))).toEqual([])
  })
})
