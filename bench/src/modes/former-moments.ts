import { join } from 'node:path'
import { startGenerator, type Generator } from '../load/generator'
import type { Options } from '../options'
import type { Figure, Report } from '../report'
import { median } from '../statistics'
import { startSheafTarget, type RunningTarget, type SheafTarget } from '../target'
import { fill } from './compare'
import { bytesOf } from './many-instances'

/** Changes of one row each, between the oldest moment that is read and the present. */
const CHANGES = 10_000
/** Moments that are read, in changes before the present. */
const BACK = [100, 1_000, CHANGES]
const LATENCY_MS = 2_000
const CLIENTS = 8

/** Measures reads of former moments of a large table, the comparison of two, and the disk that their files take. */
export async function measureMoments(
  options: Options,
  env: Record<string, string>,
): Promise<Report> {
  await using generator = startGenerator()
  await using target = await startSheafTarget(env)
  await fill(generator, target, options.rows)
  process.stderr.write(`loaded: ${options.rows} rows\n`)
  await change(generator, target, options.rows)
  const latest = await latestSeq(target)
  process.stderr.write(`changed: ${CHANGES} rows\n`)
  const figures = await measureReads(generator, target, { name: 'now', query: '' })
  for (const back of BACK) {
    const name = `${back} changes ago`
    figures.push(...(await measureMoment(generator, target, { name, seq: latest - back })))
    process.stderr.write(`measured: ${name}\n`)
  }
  const bytes = await bytesOf(join(target.sheaf.dataDir, 'past'))
  figures.push({ name: 'files that are kept of these moments', unit: 'MB', sheaf: bytes / 1e6 })
  figures.push(await measureComparison(target, latest))
  const about = `Table of ${options.rows} rows, then ${CHANGES} changes of one row each. Medians of one client.`
  return { mode: 'moments', about, figures, tables: [] }
}

async function change(
  generator: Generator,
  { headers, port, recordsPath: path }: SheafTarget,
  rows: number,
): Promise<void> {
  const requests = Array.from({ length: CHANGES }, (_, i) => {
    const record = { id: 1 + ((i * 7_919) % rows), fields: { Count: i } }
    return { method: 'PATCH', path, headers, body: JSON.stringify({ records: [record] }) }
  })
  await generator.run({ port, clients: CLIENTS, requests, calls: CHANGES })
}

async function latestSeq({ rest, documentPath }: SheafTarget): Promise<number> {
  const { body } = await rest.get<{ changes: { seq: number }[] }>(`${documentPath}/history?limit=1`)
  return body.changes[0]?.seq ?? 0
}

const names = { small: 'limit=100', large: 'SQL over all rows' }

type Read = keyof typeof names

/**
 * First reads of a moment, and further ones. The first small ones are of three moments, one after another; the first large one
 * makes the file of a moment if none of them has done so.
 */
async function measureMoment(
  generator: Generator,
  target: RunningTarget<SheafTarget>,
  { name, seq }: { readonly name: string; readonly seq: number },
): Promise<Figure[]> {
  const query = `&asOf=${seq}`
  const near = [seq + 2, seq + 1, seq].map((one) => `&asOf=${one}`)
  const small = await measureRead(generator, target, {
    read: 'small',
    queries: near,
    isFirst: true,
  })
  const large = await measureRead(generator, target, {
    read: 'large',
    queries: [query],
    isFirst: true,
  })
  return [
    { name: `${name}: ${names.small}, first read`, unit: 'ms', sheaf: small },
    { name: `${name}: ${names.large}, first read`, unit: 'ms', sheaf: large },
    ...(await measureReads(generator, target, { name, query })),
  ]
}

async function measureReads(
  generator: Generator,
  target: RunningTarget<SheafTarget>,
  { name, query }: { readonly name: string; readonly query: string },
): Promise<Figure[]> {
  const figures: Figure[] = []
  for (const read of ['small', 'large'] as const) {
    const sheaf = await measureRead(generator, target, { read, queries: [query] })
    figures.push({ name: `${name}: ${names[read]}`, unit: 'ms', sheaf })
  }
  return figures
}

interface MeasuredRead {
  readonly read: Read
  /** Made in turn. */
  readonly queries: readonly string[]
  /** True to make each once. */
  readonly isFirst?: boolean
}

async function measureRead(
  generator: Generator,
  { headers, port, recordsPath, sqlPath }: RunningTarget<SheafTarget>,
  { read, queries, isFirst }: MeasuredRead,
): Promise<number> {
  const sql = encodeURIComponent('select count(*) as n, sum("Count") as s from Customers')
  const paths = { small: `${recordsPath}?limit=100`, large: `${sqlPath}?q=${sql}` }
  const requests = queries.map((query) => ({ method: 'GET', path: paths[read] + query, headers }))
  const load = isFirst ? { calls: requests.length } : { ms: LATENCY_MS, atLeast: 3 }
  const { latencies } = await generator.run({ port, clients: 1, requests, ...load })
  return median(latencies)
}

async function measureComparison(
  { rest, documentPath }: SheafTarget,
  latest: number,
): Promise<Figure> {
  const startedAt = performance.now()
  const query = { from: latest - CHANGES, to: latest, summary: true }
  const { status } = await rest.get(`${documentPath}/compare`, { query })
  if (status !== 200) throw new Error(`the comparison was answered with ${status}`)
  const ms = performance.now() - startedAt
  return { name: `comparison of two moments ${CHANGES} changes apart`, unit: 'ms', sheaf: ms }
}
