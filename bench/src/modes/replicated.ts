import { readRecordSize } from '@sheaf/testkit/documents'
import { readDatabaseUrl } from '@sheaf/testkit/engine-process'
import { createHistogramReader, type Percentiles } from '../append-latency'
import { findFreePort } from '../load/free-port'
import type { Generator } from '../load/generator'
import { startGenerator } from '../load/generator'
import { measureInTurn } from '../in-turn'
import type { Options } from '../options'
import { withCpu } from '../process-usage'
import { formatNumber, type Figure, type Report, type Table } from '../report'
import { median, type Goal } from '../statistics'
import { startSheafTarget, type SheafTarget } from '../target'
import { BULK, workloads, type Workload } from '../workloads'
import { fill } from './compare'
import { measureFailovers } from './failover-time'

const ROWS = 20_000
const MS = 3_000
/** What is measured on both, with the smallest ratio to local mode that is wanted. */
const wanted: Readonly<Record<string, number | undefined>> = {
  'add one record, 1 client': undefined,
  'add one record, 8 clients': 0.4,
  'add one record, 32 clients': 0.6,
  'bulk add by 500': 0.5,
}

/** The cost of replication: a Sheaf that keeps documents in PostgreSQL beside one that does not; and failover. */
export async function measureReplication(
  options: Options,
  env: Record<string, string>,
): Promise<Report> {
  const { figures, tables } = await measureWrites(options, env)
  const failovers = await measureFailovers(options, env)
  return {
    mode: 'replicated',
    about:
      `Two Sheafs in turn, medians of ${options.rounds} rounds, a table of ${ROWS} rows; beside (the column “plain server”): ` +
      'the same Sheaf in local mode. PostgreSQL is on the same machine.',
    figures: [...figures, ...failovers],
    tables,
  }
}

async function measureWrites(
  options: Options,
  env: Record<string, string>,
): Promise<{ figures: Figure[]; tables: Table[] }> {
  const measured = workloads.filter(({ name }) => name in wanted && name.includes(options.only))
  if (measured.length === 0) return { figures: [], tables: [] }
  const metricsPort = await findFreePort()
  await using generator = startGenerator()
  await using local = await startSheafTarget(env)
  await using replicated = await startSheafTarget({
    ...env,
    SHEAF_REPLICATED: 'true',
    SHEAF_METRICS_LISTEN: `127.0.0.1:${metricsPort}`,
  })
  const targets = [local, replicated]
  for (const target of targets) await fill(generator, target, ROWS)
  const figures: Figure[] = []
  const appends: string[][] = []
  for (const workload of measured) {
    const setup = { generator, targets, rounds: options.rounds }
    const [plain, sheaf] = await measureInTurn(setup, workload)
    figures.push(toFigure(workload, sheaf?.figures ?? [], plain?.figures ?? []))
    appends.push([
      workload.name,
      ...(await measureAppends(generator, replicated, { workload, metricsPort })),
    ])
    process.stderr.write(`measured: ${workload.name}\n`)
  }
  const head = ['work', 'median', '90 %', '99 %', 'PostgreSQL and NATS', 'bytes of records per row']
  const title =
    'Time of one append to PostgreSQL, from the buckets of a histogram, the share of the engines in the processor time of all, and what travels to PostgreSQL'
  return { figures, tables: [{ title, rows: [head, ...appends] }] }
}

function toFigure(
  { name, unit }: Workload,
  sheaf: readonly number[],
  plain: readonly number[],
): Figure {
  const least = wanted[name]
  const goal: Goal | undefined =
    least === undefined ? undefined : { side: 'at least', value: least, ratio: true }
  return {
    name,
    unit,
    goal,
    sheaf: median(sheaf),
    plain: median(plain),
    rounds: { sheaf, plain },
  }
}

async function measureAppends(
  generator: Generator,
  target: SheafTarget,
  { workload, metricsPort }: { workload: Workload; metricsPort: number },
): Promise<string[]> {
  // The ports of the services follow that of the gateway: directory, document-data.
  const histogram = createHistogramReader(
    `http://127.0.0.1:${metricsPort + 2}/metrics`,
    'sheaf_log_append_duration_seconds',
  )
  const { clients } = workload
  const load = { port: target.port, clients, requests: workload.requests(target), ms: MS }
  const before = await histogram.read()
  const { cpu } = await withCpu(await target.pids(), () => generator.run(load))
  const { p50, p90, p99 }: Percentiles = histogram.percentilesSince(before, await histogram.read())
  const all = Object.values(cpu).reduce((sum, ms) => sum + ms, 0)
  const share = `${formatNumber(((cpu.engines ?? NaN) / all) * 100)} %`
  const docId = target.recordsPath.split('/')[3] ?? ''
  const bytes = await readRecordSize(readDatabaseUrl(target.sheaf.dataDir), docId)
  const times = [p50, p90, p99].map((seconds) => `${formatNumber(seconds * 1000)} ms`)
  return [...times, share, formatNumber(bytes / (workload.unit === 'rows/s' ? BULK : 1))]
}
