import { startGenerator, type Generator } from '../load/generator'
import type { WireRequest } from '../load/http-connection'
import type { Options } from '../options'
import { residentMbOf, withPeaks } from '../process-usage'
import type { Figure, Report } from '../report'
import { addBody, columns } from '../load/rows'
import { median, percentile } from '../statistics'
import { startSheafTarget, type RunningTarget, type SheafTarget } from '../target'
import { fill } from './compare'

const SMALL_ROWS = 1_000
const SMALL_CLIENTS = 4
const LATENCY_MS = 2_000
/** An index or order that replaces others is made after some thirty slow reads; as many again give it the time to be made. */
const WARM_UP_CALLS = 60
const ROUND_MS = 4_000

/**
 * Measures one table with very many rows: the duration of reads, their memory, and their effect on others.
 */
export async function measureRows(options: Options, env: Record<string, string>): Promise<Report> {
  await using generator = startGenerator()
  await using reader = startGenerator()
  await using target = await startSheafTarget(env)
  const loadMs = await fill(generator, target, options.rows)
  process.stderr.write(`loaded: ${options.rows} rows\n`)
  const figures: Figure[] = [
    { name: 'load by 5,000', unit: 'rows/s', sheaf: (options.rows / loadMs) * 1000 },
    ...(await measureLatencies(generator, target, options.rows)),
    ...(await measureFullReads(reader, target, options.rounds)),
    ...(await measureExports(reader, target)),
    ...(await measureOthers({ generator, reader }, target, options.rounds)),
  ]
  const about =
    `Table of ${options.rows} rows × ${Object.keys(columns).length} columns. Latencies are of one client alone. ` +
    'Memory is the most that was resident during full reads by one client.'
  return { mode: 'rows', about, figures, tables: [] }
}

function queries(rows: number): Record<string, string> {
  const filter = (wanted: object) => `filter=${encodeURIComponent(JSON.stringify(wanted))}`
  const some = Math.floor(rows * 0.77)
  return {
    'limit=100': 'limit=100',
    'filter to 1 row': filter({ Name: [`Customer ${some}`] }),
    'filter to about 1 in 1,000, limit=100': `${filter({ Count: [77] })}&limit=100`,
    'kept order by number and text, limit=100': 'sort=-Count,Note&limit=100',
    'kept order by number and text, offset=5000': 'sort=-Count,Note&limit=100&offset=5000',
    'sort by row id from the end, limit=100': 'sort=-id&limit=100',
  }
}

async function measureLatencies(
  generator: Generator,
  target: RunningTarget<SheafTarget>,
  rows: number,
): Promise<Figure[]> {
  const figures: Figure[] = []
  const { headers, port, recordsPath } = target
  for (const [name, query] of Object.entries(queries(rows))) {
    const requests = [{ method: 'GET', path: `${recordsPath}?${query}`, headers }]
    await generator.run({ port, clients: 1, requests, calls: WARM_UP_CALLS })
    const load = { port, clients: 1, requests, ms: LATENCY_MS, atLeast: 5 }
    const { latencies } = await generator.run(load)
    figures.push(
      { name: `${name}: median`, unit: 'ms', sheaf: median(latencies) },
      { name: `${name}: 95 %`, unit: 'ms', sheaf: percentile(latencies, 0.95) },
    )
    process.stderr.write(`measured: ${name}\n`)
  }
  return figures
}

async function measureFullReads(
  reader: Generator,
  target: RunningTarget<SheafTarget>,
  rounds: number,
): Promise<Figure[]> {
  const { gateway = [], 'document-data': documentData = [] } = await target.pids()
  const pids = { gateway, 'document-data': documentData }
  const before = residentMbOf(documentData[0] ?? NaN)
  const { port } = target
  const load = { port, clients: 1, requests: [readAll(target)], calls: rounds }
  const { result, peaks } = await withPeaks(pids, () => reader.run(load))
  process.stderr.write('measured: full read\n')
  const bytesOfOne = result.bytes / result.calls
  return [
    { name: 'full read', unit: 'ms', sheaf: median(result.latencies) },
    { name: 'full read', unit: 'MB/s', sheaf: bytesOfOne / 1000 / median(result.latencies) },
    memory('gateway', peaks.gateway, 150),
    memory('document-data', peaks['document-data'], 300),
    { name: 'memory before, document-data', unit: 'MB', sheaf: before },
  ]
}

/** Exports the table once in each format. */
async function measureExports(
  reader: Generator,
  target: RunningTarget<SheafTarget>,
): Promise<Figure[]> {
  const figures: Figure[] = []
  const { headers, port } = target
  const { gateway = [], 'document-data': documentData = [] } = await target.pids()
  const pids = { gateway, 'document-data': documentData }
  for (const form of ['csv', 'xlsx', 'sqlite'] as const) {
    const requests = [{ method: 'GET', path: target.downloads[form], headers }]
    const load = { port, clients: 1, requests, calls: 1 }
    const { result, peaks } = await withPeaks(pids, () => reader.run(load))
    const unit = 'MB'
    figures.push(
      { name: `${form} download`, unit: 'ms', sheaf: median(result.latencies) },
      { name: `size of the ${form} file`, unit, sheaf: result.bytes / 1e6 },
      { name: `memory meanwhile, gateway`, unit, sheaf: peaks.gateway ?? NaN },
      { name: `memory meanwhile, document-data`, unit, sheaf: peaks['document-data'] ?? NaN },
    )
    process.stderr.write(`measured: ${form} download\n`)
  }
  return figures
}

function memory(name: string, peak = NaN, limit: number): Figure {
  const goal = { side: 'at most', value: limit, ratio: false } as const
  return { name: `memory in full reads, ${name}`, unit: 'MB', sheaf: peak, goal }
}

function readAll({ headers, recordsPath }: SheafTarget): WireRequest {
  return { method: 'GET', path: recordsPath, headers }
}

/**
 * Measures small reads of another document, alternating between idle and repeated full reads of the large
 * table.
 */
async function measureOthers(
  { generator, reader }: { generator: Generator; reader: Generator },
  target: RunningTarget<SheafTarget>,
  rounds: number,
): Promise<Figure[]> {
  const { headers, port } = target
  const path = await target.addDocument('Small')
  const body = addBody(0, SMALL_ROWS)
  await generator.run({
    port,
    clients: 1,
    calls: 1,
    requests: [{ method: 'POST', path, headers, body }],
  })
  const requests = [{ method: 'GET', path: `${path}?limit=10`, headers }]
  const small = { port, clients: SMALL_CLIENTS, requests }
  await generator.run({ ...small, ms: 1_000 })
  const alone: number[] = []
  const beside: number[] = []
  const slowest: number[] = []
  for (let round = 0; round < rounds; round++) {
    const first = await generator.run({ ...small, ms: ROUND_MS })
    alone.push((first.calls / first.ms) * 1000)
    const large = reader.run({ port, clients: 1, requests: [readAll(target)], ms: ROUND_MS })
    const second = await generator.run({ ...small, ms: ROUND_MS })
    beside.push((second.calls / second.ms) * 1000)
    slowest.push(percentile(second.latencies, 0.99))
    await large
  }
  process.stderr.write('measured: small reads beside full reads\n')
  const goal = { side: 'at least', value: 0.6, ratio: false } as const
  return [
    { name: "another document's small reads, alone", unit: 'req/s', sheaf: median(alone) },
    { name: "another document's small reads, beside", unit: 'req/s', sheaf: median(beside) },
    { name: 'beside: slowest in 100', unit: 'ms', sheaf: median(slowest) },
    { name: 'beside to alone', unit: '', sheaf: median(beside) / median(alone), goal },
  ]
}
