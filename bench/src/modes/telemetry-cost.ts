import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { startGenerator } from '../load/generator'
import { measureInTurn } from '../in-turn'
import type { Options } from '../options'
import { formatNumber, type Report } from '../report'
import { median } from '../statistics'
import { startSheafTarget, type Target } from '../target'
import { workloads } from '../workloads'
import { fill } from './compare'

const ROWS = 20_000
/** Workloads with short calls, which show the overhead per call. */
const measured = ['fetch limit=100, 8 clients', 'filter to 1 row', 'add one record, 8 clients']

const titles = ['off', 'traces of 10 %', 'traces of 100 %']

/** What telemetry costs: three whole Sheafs do the same work in turn, two of which send theirs to a receiver that drops it. */
export async function measureTelemetry(
  options: Options,
  env: Record<string, string>,
): Promise<Report> {
  await using receiver = await startNullReceiver()
  await using generator = startGenerator()
  const start = (share: number) => startSheafTarget({ ...env, ...settingsOf(receiver, share) })
  await using off = await startSheafTarget(env)
  await using some = await start(0.1)
  await using all = await start(1)
  const targets: readonly Target[] = [off, some, all]
  for (const target of targets) await fill(generator, target, ROWS)
  const rows: string[][] = []
  const cpu: string[][] = []
  for (const workload of workloads.filter(({ name }) => measured.includes(name))) {
    if (!workload.name.includes(options.only)) continue
    const sides = await measureInTurn({ generator, targets, rounds: options.rounds }, workload)
    const rates = sides.map(({ figures }) => median(figures))
    rows.push([workload.name, ...ratiosOf(rates, workload.unit)])
    const times = sides.map((side) => median(side.cpu))
    cpu.push([workload.name, ...ratiosOf(times, 'ms')])
    process.stderr.write(`measured: ${workload.name}\n`)
  }
  const about =
    `Three Sheafs in turn, medians of ${options.rounds} rounds, a table of ${ROWS} rows. Telemetry goes by OTLP to a receiver ` +
    'in the process that measures, and so on the same cores; metrics are on with traces.'
  const spent = 'Processor time of one call in all services together'
  return {
    mode: 'telemetry',
    about,
    figures: [],
    tables: [
      { title: 'What is done', rows: [headOf('work'), ...rows] },
      { title: spent, rows: [headOf('work'), ...cpu] },
    ],
  }
}

function settingsOf({ endpoint }: { endpoint: string }, share: number): Record<string, string> {
  return {
    OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
    OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
    OTEL_TRACES_SAMPLER_ARG: String(share),
  }
}

/** A collector that discards everything. */
async function startNullReceiver(): Promise<AsyncDisposable & { readonly endpoint: string }> {
  const server = createServer((request, response) => {
    request.resume().once('end', () => response.writeHead(200).end())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

function headOf(first: string): string[] {
  const [off = '', ...on] = titles
  return [first, off, ...on.flatMap((title) => [title, 'ratio'])]
}

function ratiosOf([off = NaN, ...on]: readonly number[], unit: string): string[] {
  const show = (value: number) => `${formatNumber(value)} ${unit}`
  return [show(off), ...on.flatMap((value) => [show(value), (value / off).toFixed(2)])]
}
