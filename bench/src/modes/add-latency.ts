import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { tempDir } from '@sheaf/testkit/temp-dir'
import { startGenerator, type Generator } from '../load/generator'
import { addBody } from '../load/rows'
import type { Options } from '../options'
import { areasOf, type CpuProfile } from '../profile-areas'
import { formatNumber, type Figure, type Report, type Table } from '../report'
import { median, percentile } from '../statistics'
import { startSheafTarget } from '../target'
import { fill } from './compare'

const ROWS = 20_000
const CLIENTS = [1, 8, 32]
const PROCESSES = ['gateway', 'document-data']
const MS = 4_000
/** Distinct rows that are added in turn. */
const BODIES = 2_000
/** Areas below this are added up, in ms. */
const LEAST_MS = 0.004

/** Milliseconds of one call by area, for one process. */
type Areas = ReadonlyMap<string, number>

/**
 * Where the time of a call that adds one record goes, in the event loops of both processes that serve it: with 1, 8 and 32
 * clients, each on a Sheaf of its own. Rates and latencies are measured before the profile begins.
 */
export async function measureLatency(
  _options: Options,
  env: Record<string, string>,
): Promise<Report> {
  await using generator = startGenerator()
  const figures: Figure[] = []
  const byProcess = new Map(PROCESSES.map((name) => [name, [] as Areas[]]))
  for (const clients of CLIENTS) {
    await using folder = await tempDir()
    const { latencies, ms, areas } = await measureClients(generator, clients, {
      ...env,
      NODE_OPTIONS: `--require ${join(__dirname, '../profile-preload.js')}`,
      NODE_PROFILE_FOLDER: folder.path,
    })
    const named = (name: string) => `add one record, ${describeClients(clients)}: ${name}`
    figures.push(
      { name: named('rate'), unit: 'req/s', sheaf: (latencies.length / ms) * 1000 },
      { name: named('median'), unit: 'ms', sheaf: median(latencies) },
      { name: named('95 %'), unit: 'ms', sheaf: percentile(latencies, 0.95) },
    )
    for (const [name, found] of areas) byProcess.get(name)?.push(found)
  }
  return {
    mode: 'latency',
    about: `A table of ${ROWS} rows; ${MS / 1000} s for each number of clients, and as long under the profiler.`,
    figures,
    tables: [...byProcess].map(([name, areas]) => tableOf(name, areas)),
  }
}

function describeClients(clients: number): string {
  return clients === 1 ? '1 client' : `${clients} clients`
}

async function measureClients(
  generator: Generator,
  clients: number,
  env: Record<string, string>,
): Promise<{ latencies: readonly number[]; ms: number; areas: [string, Areas][] }> {
  const addOne = Array.from({ length: BODIES }, (_, number) => addBody(ROWS + number, 1))
  let calls = 0
  // The processes write their profiles when they end.
  const measured = await (async () => {
    await using sheaf = await startSheafTarget(env)
    await fill(generator, sheaf, ROWS)
    const { headers, port, recordsPath: path } = sheaf
    const requests = addOne.map((body) => ({ method: 'POST', path, headers, body }))
    const run = () => generator.run({ port, clients, requests, ms: MS })
    await run()
    const result = await run()
    const pids = await sheaf.pids()
    for (const name of PROCESSES) for (const pid of pids[name] ?? []) process.kill(pid, 'SIGUSR2')
    ;({ calls } = await run())
    return result
  })()
  const folder = env['NODE_PROFILE_FOLDER'] ?? ''
  return { ...measured, areas: PROCESSES.map((name) => [name, readAreas(folder, name, calls)]) }
}

/** Reads the profile that a process wrote when it ended. */
function readAreas(folder: string, name: string, calls: number): Areas {
  const file = readdirSync(folder).find((file) => file.startsWith(`${name}-`))
  if (file === undefined) throw new Error(`${name} wrote no profile`)
  const profile = JSON.parse(readFileSync(join(folder, file), 'utf8')) as CpuProfile
  return new Map([...areasOf(profile)].map(([area, ms]) => [area, ms / calls]))
}

function tableOf(name: string, byClients: readonly Areas[]): Table {
  const sumOf = (area: string) => byClients.reduce((sum, areas) => sum + (areas.get(area) ?? 0), 0)
  const all = [...new Set(byClients.flatMap((areas) => [...areas.keys()]))]
  const isLarge = (area: string) => byClients.some((areas) => (areas.get(area) ?? 0) >= LEAST_MS)
  const large = all.filter(isLarge).sort((a, b) => sumOf(b) - sumOf(a))
  const row = (title: string, of: readonly string[]) => [
    title,
    ...byClients.map((areas) =>
      formatMs(of.reduce((sum, area) => sum + (areas.get(area) ?? 0), 0)),
    ),
  ]
  return {
    title: `Time of one call in the event loop of ${name}, in ms, with waiting for the disk in COMMIT`,
    rows: [
      ['area', ...CLIENTS.map(describeClients)],
      ...large.map((area) => row(area, [area])),
      row(
        'everything else',
        all.filter((area) => !isLarge(area)),
      ),
      row('sum', all),
    ],
  }
}

function formatMs(ms: number): string {
  return ms >= 0.1 ? formatNumber(ms) : ms.toFixed(3)
}
