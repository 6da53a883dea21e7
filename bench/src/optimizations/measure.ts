import { join } from 'node:path'
import { fill } from '../modes/compare'
import { startGenerator, type Generator } from '../load/generator'
import { measureInTurn, type InTurn, type Side } from '../in-turn'
import type { Options } from '../options'
import { formatNumber, type Report } from '../report'
import { median } from '../statistics'
import { startSheafTarget, type Target } from '../target'
import { workloads, type Workload } from '../workloads'
import { optimizations, PAGE_BESIDE, PROFILE, type Optimization } from './optimizations'

const ROWS = 20_000
const HEAD = [
  'optimization',
  'work',
  'with',
  'without',
  'ratio',
  'CPU with',
  'CPU without',
  'ratio',
]

/** What each optimization is worth: a Sheaf with all of them beside one without it, in turn. */
export async function measureOptimizations(
  options: Options,
  env: Record<string, string>,
): Promise<Report> {
  await using generator = startGenerator()
  await using reader = startGenerator()
  const rows: string[][] = []
  for (const optimization of optimizations.filter(({ name }) => name.includes(options.only))) {
    // Both start anew, so that both have done the same work and have the same rows.
    await using complete = await startSheafTarget(env)
    await using without = await startSheafTarget({ ...env, ...disable(optimization) })
    const targets = [complete, without]
    for (const target of targets) await fill(generator, target, ROWS)
    const setup = { generator, targets, rounds: options.rounds }
    for (const name of optimization.workloads) {
      rows.push([optimization.name, ...(await measureWork(setup, reader, name))])
      process.stderr.write(`measured: ${optimization.name}, ${name}\n`)
    }
  }
  const about =
    `Two Sheafs in turn, medians of ${options.rounds} rounds, a table of ${ROWS} rows: one complete, one with one optimization ` +
    'replaced by plain code. CPU is the CPU time of one call in all services together.'
  return {
    mode: 'optimizations',
    about,
    figures: [],
    tables: [{ title: 'Worth', rows: [HEAD, ...rows] }],
  }
}

/** Settings of a Sheaf in which an optimization is replaced by plain code. */
function disable({ name }: Optimization): Record<string, string> {
  const preload = join(__dirname, 'preload.js')
  return { NODE_OPTIONS: `--require ${JSON.stringify(preload)}`, NODE_BENCH_WITHOUT: name }
}

async function measureWork(setup: InTurn, reader: Generator, name: string): Promise<string[]> {
  const workload = findWorkload(name === PAGE_BESIDE ? 'fetch limit=100, 8 clients' : name)
  const sides =
    name === PAGE_BESIDE
      ? await measureBeside(setup, reader, workload)
      : await measureInTurn(setup, workload)
  const [complete, without] = sides.map(({ figures, cpu }) => [median(figures), median(cpu)])
  return [
    name,
    ...toCells([complete?.[0], without?.[0]], workload.unit),
    ...toCells([complete?.[1], without?.[1]], 'ms'),
  ]
}

function toCells([complete = NaN, without = NaN]: (number | undefined)[], unit: string): string[] {
  const show = (value: number) => `${formatNumber(value)} ${unit}`
  return [show(complete), show(without), (without / complete).toFixed(2)]
}

const readProfile: Workload = {
  name: PROFILE,
  unit: 'req/s',
  clients: 8,
  requests: ({ headers }) => [{ method: 'GET', path: '/api/profile/user', headers }],
  figure: ({ calls, ms }) => (calls / ms) * 1000,
}

function findWorkload(name: string): Workload {
  if (name === PROFILE) return readProfile
  const found = workloads.find((workload) => workload.name === name)
  if (!found) throw new Error(`no workload is called ${name}`)
  return found
}

/** The workload while another client reads the whole table of the same target again and again. */
async function measureBeside(
  { generator, targets, rounds }: InTurn,
  reader: Generator,
  workload: Workload,
): Promise<Side[]> {
  const readAll = ({ headers, recordsPath }: Target) => [
    { method: 'GET', path: recordsPath, headers },
  ]
  const figures = targets.map((): number[] => [])
  for (let round = 0; round < rounds + 1; round++) {
    for (const [index, target] of targets.entries()) {
      const load = {
        port: target.port,
        clients: workload.clients,
        requests: workload.requests(target),
        ms: 3_000,
      }
      const large = reader.run({
        port: target.port,
        clients: 1,
        requests: readAll(target),
        ms: load.ms,
      })
      const result = await generator.run(load)
      // The first round warms up.
      if (round > 0) figures[index]?.push(workload.figure(result))
      await large
    }
  }
  return figures.map((each) => ({ figures: each, cpu: [] }))
}
