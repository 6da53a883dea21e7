import { startGenerator, type Generator } from '../load/generator'
import type { LoadResult } from '../load/load'
import type { Options } from '../options'
import { withCpu, withPeaks } from '../process-usage'
import { formatNumber, type Figure, type Report, type Table } from '../report'
import { addBody, columns } from '../load/rows'
import { median } from '../statistics'
import { startPlain, startSheafTarget, type Target } from '../target'
import { TABLE_ROWS, workloads, type Workload } from '../workloads'
import { allowArrivals, measureWebhookLatency } from './webhook-latency'
import { measureHostileSql } from './hostile-sql'

const ROUND_MS = 1_200
const WARM_UP_MS = 700
const FILL_BATCH = 5_000

/** Results of one workload on one side, an item per round. */
interface Side {
  readonly figures: number[]
  /** Processor time of one call by process, in milliseconds. */
  readonly cpu: Record<string, number>[]
}

/** Runs all workloads on both servers, alternating. */
export async function compare(options: Options, env: Record<string, string>): Promise<Report> {
  await using generator = startGenerator()
  await using sheaf = await startSheafTarget({ ...env, ...allowArrivals })
  await using plain = await startPlain()
  const sorted = { ...sheaf, recordsPath: sheaf.sortedPath }
  for (const target of [sheaf, sorted, plain]) await fill(generator, target, TABLE_ROWS)
  if (options.profile !== undefined) await startProfiles(sheaf)
  const figures: Figure[] = []
  const cpu: string[][] = []
  for (const workload of workloads.filter(({ name }) => name.includes(options.only))) {
    const sides = await measureBoth({ generator, sheaf, plain, rounds: options.rounds }, workload)
    figures.push(toFigure(workload, sides))
    cpu.push([workload.name, ...cpuCells(sides)])
    process.stderr.write(`measured: ${workload.name}\n`)
  }
  const memory = 'memory'.includes(options.only)
    ? await measureMemory(generator, [sheaf, plain])
    : []
  const hostile = 'hostile SQL'.includes(options.only)
    ? await measureHostileSql(generator, sheaf)
    : []
  const webhook = 'webhook'.includes(options.only) ? await measureWebhookLatency(sheaf) : []
  const about =
    `Table of ${TABLE_ROWS} rows × ${Object.keys(columns).length} columns, made durable by fsync; ` +
    `medians of ${options.rounds} rounds. The load comes from a process of its own on the same cores.`
  return {
    mode: 'compare',
    about,
    figures: [...figures, ...memory, ...hostile, ...webhook],
    tables: [cpuTable(cpu)],
  }
}

/** Started only now, so that profiles exclude process start and filling the table. */
async function startProfiles(sheaf: Target): Promise<void> {
  const { gateway = [], 'document-data': documentData = [], directory = [] } = await sheaf.pids()
  for (const pid of [...gateway, ...documentData, ...directory]) process.kill(pid, 'SIGUSR2')
}

/** Fills the table of a target in batches; resolves to the duration in milliseconds. */
export async function fill(
  generator: Generator,
  target: Pick<Target, 'headers' | 'port' | 'recordsPath'>,
  rows: number,
): Promise<number> {
  const start = performance.now()
  const { headers, port, recordsPath } = target
  for (let first = 0; first < rows; first += 10 * FILL_BATCH) {
    const requests = []
    for (let at = first; at < Math.min(rows, first + 10 * FILL_BATCH); at += FILL_BATCH) {
      const body = addBody(at, Math.min(FILL_BATCH, rows - at))
      requests.push({ method: 'POST', path: recordsPath, headers, body })
    }
    await generator.run({ port, clients: 1, calls: requests.length, requests })
  }
  return performance.now() - start
}

interface Setup {
  readonly generator: Generator
  readonly sheaf: Target
  readonly plain: Target
  readonly rounds: number
}

type Sides = Record<'sheaf' | 'plain', Side>

async function measureBoth(setup: Setup, workload: Workload): Promise<Sides> {
  const sides: Sides = { sheaf: { figures: [], cpu: [] }, plain: { figures: [], cpu: [] } }
  const { clients } = workload
  for (const target of [setup.plain, setup.sheaf]) {
    const requests = workload.requests(target)
    await setup.generator.run({ port: target.port, clients, requests, ms: WARM_UP_MS })
  }
  // Alternating, so that other activity on the machine affects both.
  for (let round = 0; round < setup.rounds; round++) {
    for (const side of ['plain', 'sheaf'] as const) {
      const target = setup[side]
      const requests = workload.requests(target)
      const { atLeast } = workload
      const load = { port: target.port, clients, requests, ms: ROUND_MS, atLeast }
      const { result, cpu } = await withCpu(await target.pids(), () => setup.generator.run(load))
      sides[side].figures.push(workload.figure(result))
      sides[side].cpu.push(perCall(cpu, result))
    }
  }
  return sides
}

function perCall(cpu: Record<string, number>, result: LoadResult): Record<string, number> {
  const all = Object.values(cpu).reduce((sum, ms) => sum + ms, result.cpuMs)
  const calls = Object.entries(cpu).map(([name, ms]) => [name, ms / result.calls] as const)
  return {
    ...Object.fromEntries(calls),
    generator: result.cpuMs / result.calls,
    cores: all / result.ms,
  }
}

function toFigure({ name, unit, goal }: Workload, { sheaf, plain }: Sides): Figure {
  return {
    name,
    unit,
    goal,
    sheaf: median(sheaf.figures),
    plain: median(plain.figures),
    rounds: { sheaf: sheaf.figures, plain: plain.figures },
  }
}

const CPU_COLUMNS = [
  'gateway',
  'document-data',
  'directory',
  'webhook',
  'engines',
  'generator',
  'cores',
]
const PLAIN_COLUMNS = ['plain server', 'generator', 'cores']

function cpuCells({ sheaf, plain }: Sides): string[] {
  const cell = (side: Side) => (name: string) =>
    formatNumber(median(side.cpu.map((cpu) => cpu[name] ?? NaN)))
  return [...CPU_COLUMNS.map(cell(sheaf)), ...PLAIN_COLUMNS.map(cell(plain))]
}

function cpuTable(rows: string[][]): Table {
  const beside = PLAIN_COLUMNS.slice(1).map((name) => `${name} beside it`)
  return {
    title:
      'Processor time of one call in ms, by process, and how many cores were in use together (whatever else the ' +
      'machine does not counted)',
    rows: [['work', ...CPU_COLUMNS, 'plain server', ...beside], ...rows],
  }
}

/** Measures peak resident memory while the whole table is read five times, at the end of all work. */
async function measureMemory(generator: Generator, targets: readonly Target[]): Promise<Figure[]> {
  const peaks: Record<string, number> = {}
  for (const target of targets) {
    const { headers, port, recordsPath } = target
    const requests = [{ method: 'GET', path: recordsPath, headers }]
    const load = { port, clients: 1, calls: 5, requests }
    Object.assign(peaks, (await withPeaks(await target.pids(), () => generator.run(load))).peaks)
  }
  const figure = (name: string, limit?: number): Figure => ({
    name: `resident memory, ${name}`,
    unit: 'MB',
    sheaf: peaks[name] ?? NaN,
    plain: limit === 300 ? peaks['plain server'] : undefined,
    goal: limit === undefined ? undefined : { side: 'at most', value: limit, ratio: false },
  })
  return [figure('gateway', 150), figure('document-data', 300), figure('directory')]
}
