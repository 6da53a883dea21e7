import { randomBytes } from 'node:crypto'
import { eventually } from '@sheaf/testkit/eventually'
import { createRest, type Rest } from '@sheaf/testkit/rest'
import { startSheaf, type RunningSheaf } from '@sheaf/testkit/sheaf'
import { startOtlpReceiver, type OtlpReceiver, type ReceivedSpan } from '../support/otlp-receiver'
import { readSamples, type Sample } from '../support/prometheus-text'
import { addRecords, addTable, newDocument } from '../support/system'
import { requireOk } from '../support/webhooks'

const newTrace = () => randomBytes(16).toString('hex')

/** Sends a request within a trace. */
function within(traceId: string, body: unknown) {
  return { body, headers: { traceparent: `00-${traceId}-${randomBytes(8).toString('hex')}-01` } }
}

/** Adds a formula column. */
async function addFormula(rest: Rest, table: string, [id, formula]: [string, string], trace = '') {
  const body = { columns: [{ id, fields: { formula, isFormula: true } }] }
  requireOk(await rest.post(`${table}/columns`, trace === '' ? { body } : within(trace, body)))
}

describe('telemetry of formulas', () => {
  let otlp: OtlpReceiver
  let sheaf: RunningSheaf
  let rest: Rest
  let table: string

  beforeAll(async () => {
    otlp = await startOtlpReceiver()
    sheaf = await startSheaf({
      env: {
        SHEAF_METRICS_LISTEN: '127.0.0.1:0',
        SHEAF_FORMULA_MS: '10000',
        SHEAF_FORMULA_CELLS: '100',
        OTEL_EXPORTER_OTLP_ENDPOINT: otlp.endpoint,
        OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
        OTEL_BSP_SCHEDULE_DELAY: '100',
      },
    })
    rest = createRest(sheaf.url, sheaf.ownerKey)
    const doc = await newDocument(rest)
    await addTable(rest, doc, 'T', { A: 'Numeric' })
    table = `${doc}/tables/T`
    await addRecords(rest, table, [{ A: 1 }, { A: 0 }])
    await addFormula(rest, table, ['B', '1 / $A'])
    // In a function, so that it needs Python.
    await addFormula(rest, table, ['C', '(lambda: $B + 1)()'])
  })
  afterAll(async () => {
    await sheaf[Symbol.asyncDispose]()
    await otlp[Symbol.asyncDispose]()
  })

  const samples = async (): Promise<Sample[]> => {
    const found = [...sheaf.output().matchAll(/"address":"([\d.:]+)","msg":"serving metrics"/g)]
    const texts = found.map(async ([, address]) =>
      (await fetch(`http://${address}/metrics`)).text(),
    )
    return readSamples((await Promise.all(texts)).join('\n'))
  }
  /** The value of a metric, of all processes and labels or of one value of its own label. */
  const valueOf = async (name: string, label?: string): Promise<number> =>
    (await samples())
      .filter((sample) => sample.name === name)
      .filter(({ labels }) => label === undefined || Object.values(labels).includes(label))
      .reduce((sum, { value }) => sum + value, 0)
  const spansOf = (trace: string, name: string): ReceivedSpan[] =>
    otlp.spans.filter((span) => span.traceId === trace && span.name === name)
  const countsOf = ({ attributes }: ReceivedSpan) =>
    Object.fromEntries(Object.entries(attributes).map(([name, value]) => [name, Number(value)]))
  /** The span of computing formulas, below that of the write. */
  const derivedIn = async (trace: string): Promise<ReceivedSpan> => {
    await eventually(() => expect(spansOf(trace, 'sheaf.document.transact')).toHaveLength(1))
    const [transact] = spansOf(trace, 'sheaf.document.transact')
    const [derive] = spansOf(trace, 'sheaf.document.derive')
    expect(spansOf(trace, 'sheaf.document.derive')).toHaveLength(1)
    expect(derive).toMatchObject({
      service: 'sheaf-document-data',
      parentSpanId: transact?.spanId,
    })
    return derive as ReceivedSpan
  }

  it('counts the cells of a write in its trace and in the metrics', async () => {
    const before = await valueOf('sheaf_formulas_cells_total', 'value')
    const errors = await valueOf('sheaf_formulas_cells_total', 'error')
    const exchanges = await valueOf('sheaf_formulas_exchanges_total', 'done')
    const durations = await valueOf('sheaf_formulas_derive_duration_seconds_count')
    const trace = newTrace()
    const records = [{ fields: { A: 2 } }, { fields: { A: 0 } }]
    requireOk(await rest.post(`${table}/records`, within(trace, { records })))
    expect(countsOf(await derivedIn(trace))).toEqual({
      'sheaf.derive.columns': 2,
      'sheaf.derive.cells': 4,
      'sheaf.derive.rounds': 1,
      'sheaf.derive.pending': 0,
      'sheaf.derive.stopped': 0,
    })
    expect(await valueOf('sheaf_formulas_cells_total', 'value')).toBe(before + 2)
    expect(await valueOf('sheaf_formulas_cells_total', 'error')).toBe(errors + 2)
    expect(await valueOf('sheaf_formulas_exchanges_total', 'done')).toBe(exchanges + 1)
    expect(await valueOf('sheaf_formulas_derive_duration_seconds_count')).toBe(durations + 1)
  })

  it('shows the evaluator, its start and its memory', async () => {
    expect(await valueOf('sheaf_evaluators_running')).toBe(1)
    expect(await valueOf('sheaf_evaluators_limit')).toBe(4)
    expect(await valueOf('sheaf_evaluators_waiting')).toBe(0)
    expect(await valueOf('sheaf_evaluators_started_total')).toBe(1)
    expect(await valueOf('sheaf_evaluators_start_duration_seconds_count')).toBe(1)
    expect(await valueOf('sheaf_evaluators_memory_bytes')).toBeGreaterThan(20 * 1024 * 1024)
  })

  it('has no span for a write on which no formula depends', async () => {
    const doc = await newDocument(rest)
    await addTable(rest, doc, 'Plain', { A: 'Numeric' })
    const trace = newTrace()
    const records = [{ fields: { A: 2 } }]
    requireOk(await rest.post(`${doc}/tables/Plain/records`, within(trace, { records })))
    await eventually(() => expect(spansOf(trace, 'sheaf.document.transact')).toHaveLength(1))
    expect(spansOf(trace, 'sheaf.document.derive')).toEqual([])
  })

  it('counts the columns and documents that are computed later', async () => {
    const pending = async () => {
      const all = await samples()
      return ['columns', 'documents'].map((of) =>
        all
          .filter(({ name }) => name === `sheaf_formulas_pending_${of}`)
          .reduce((sum, { value }) => sum + value, 0),
      )
    }
    const compute = async () => {
      const doc = await newDocument(rest)
      await addTable(rest, doc, 'Many', { A: 'Numeric' })
      const large = `${doc}/tables/Many`
      const rows = Array.from({ length: 150 }, (_, A) => ({ A }))
      await addRecords(rest, large, rows)
      await addFormula(rest, large, ['Slow', '[i for i in range(20_000)] and $A'], newTrace())
    }
    // They may be computed before the figures are read.
    await eventually(
      async () => {
        await compute()
        const seen = await pending()
        await eventually(async () => expect(await pending()).toEqual([0, 0]))
        expect(seen).toEqual([1, 1])
      },
      { timeoutMs: 180_000 },
    )
  })

  it('counts a formula that was stopped, and the evaluator that ended for it', async () => {
    const exchanges = await valueOf('sheaf_formulas_exchanges_total', 'stopped')
    const ended = await valueOf('sheaf_evaluators_ended_total', 'stopped')
    const trace = newTrace()
    await addFormula(rest, table, ['Endless', 'while True: pass\nreturn 1'], trace)
    expect(countsOf(await derivedIn(trace))).toMatchObject({ 'sheaf.derive.stopped': 1 })
    expect(await valueOf('sheaf_formulas_stopped_total', 'time')).toBe(1)
    expect(await valueOf('sheaf_formulas_stopped_total', 'memory')).toBe(0)
    expect(await valueOf('sheaf_formulas_exchanges_total', 'stopped')).toBe(exchanges + 1)
    await eventually(async () => {
      expect(await valueOf('sheaf_evaluators_ended_total', 'stopped')).toBe(ended + 1)
    })
  })
})
