import { existsSync } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { locateDocument } from '@sheaf/testkit/documents'
import { readDatabaseUrl } from '@sheaf/testkit/engine-process'
import type { InstanceName } from '@sheaf/testkit/sheaf'
import { startGenerator, type Generator } from '../load/generator'
import { addBody } from '../load/rows'
import type { Options } from '../options'
import type { Figure, Report } from '../report'
import { median, percentile } from '../statistics'
import { startSheafTarget, type SheafTarget } from '../target'
import { grow, locate, MB, storeAll, withoutStore } from './stored-documents'

const SIZES = [1, 10, 100]
const INSTANCES = ['document-data-0', 'document-data-1', 'document-data-2'] as const
/** Clients that create documents, and that request those of a killed instance. */
const CLIENTS = 8
/** Documents of the killed instance that are requested. */
const SAMPLE = 200
/** Clients that write while snapshots are stored, and for how long: there is at most one snapshot in ten seconds. */
const WRITERS = 4
const WRITE_MS = 15_000

/** What moves of documents cost those who use them, and the failure of one of several instances with many documents. */
export async function measureInstances(
  options: Options,
  env: Record<string, string>,
): Promise<Report> {
  await using generator = startGenerator()
  await using target = await startSheafTarget({
    ...env,
    SHEAF_REPLICATED: 'true',
    SHEAF_INSTANCES: String(INSTANCES.length),
    SHEAF_BALANCE_SECONDS: '0',
  })
  const figures: Figure[] = []
  for (const size of SIZES) {
    const document = { ...target, recordsPath: await target.addDocument(`${size} MB`) }
    figures.push(...(await measureMoves(generator, document, size)))
    const writes = await measureSnapshots(generator, document, options.rounds)
    figures.push(...writes.map((figure) => ({ ...figure, name: `${figure.name}, ${size} MB` })))
  }
  figures.push(...(await measureLoss(generator, target, options.documents)))
  return {
    mode: 'instances',
    about:
      'Three instances of document-data, PostgreSQL and a store in a folder on the same machine. A document is moved while one ' +
      'client reads one row of it, one request after the other: to an instance that has no file of it, and back. Writes beside snapshots: beside (the column “plain server”) the same writes ' +
      'while nothing can be stored. Then ' +
      `${options.documents} documents are created, one instance is killed, and ${SAMPLE} of its documents, chosen at random, ` +
      `are read for the first time, by ${CLIENTS} clients.`,
    figures,
    tables: [],
  }
}

async function measureMoves(
  generator: Generator,
  document: SheafTarget,
  size: number,
): Promise<Figure[]> {
  await grow(generator, document, size * MB)
  await storeAll(generator, document)
  const docId = docIdOf(document)
  const stored = await bytesOf(join(document.sheaf.dataDir, 'store', docId.slice(0, 2), docId))
  const name = `move, ${size} MB`
  const { home } = await locate(document)
  const other = INSTANCES.find((instance) => instance !== home) ?? home
  const cold = await readWhile(document, () => move(document, other))
  const warm = await readWhile(document, () => move(document, home))
  process.stderr.write(`measured: ${name}\n`)
  // A document that was written in few records may have no snapshot yet.
  const perMb = {
    name: `bytes in the store per MB, ${size} MB`,
    unit: 'MB',
    sheaf: stored / MB / size,
  }
  return [
    { name: `${name}: longest read, no file there`, unit: 'ms', sheaf: Math.max(...cold) },
    { name: `${name}: longest read, a file there`, unit: 'ms', sheaf: Math.max(...warm) },
    { name: `${name}: median read meanwhile`, unit: 'ms', sheaf: median([...cold, ...warm]) },
    ...(stored > 0 ? [perMb] : []),
  ]
}

/** What snapshots of a document cost those who write to it: writes with snapshots, beside writes while none can be stored. */
async function measureSnapshots(
  generator: Generator,
  document: SheafTarget,
  rounds: number,
): Promise<Figure[]> {
  const { port, headers, recordsPath: path } = document
  const requests = [{ method: 'POST', path, headers, body: addBody(0, 1) }]
  const write = async () => {
    const load = { port, clients: WRITERS, ms: WRITE_MS, requests }
    const { calls, ms, latencies } = await generator.run(load)
    return { rate: (calls / ms) * 1000, slow: percentile(latencies, 0.99) }
  }
  const own: Awaited<ReturnType<typeof write>>[] = []
  const without: typeof own = []
  for (let round = 0; round < rounds; round++) {
    // What could not be stored is stored at once when the store is back, so each round has a snapshot.
    without.push(await withoutStore(document, write))
    own.push(await write())
  }
  const compare = (name: string, unit: Figure['unit'], key: 'rate' | 'slow'): Figure => {
    const [sheaf, plain] = [own, without].map((runs) => runs.map((run) => run[key]))
    return { name, unit, sheaf: median(sheaf ?? []), plain: median(plain ?? []) }
  }
  return [
    compare(`writes beside snapshots, ${WRITERS} clients`, 'req/s', 'rate'),
    compare('writes beside snapshots: 99 %', 'ms', 'slow'),
  ]
}

/** Kills an instance that has a third of many documents. */
async function measureLoss(
  generator: Generator,
  target: SheafTarget,
  count: number,
): Promise<Figure[]> {
  const { port, headers, documentsPath: path, sheaf } = target
  const created = await generator.run({
    port,
    clients: CLIENTS,
    calls: count,
    keepTexts: true,
    requests: [{ method: 'POST', path, headers, body: '{"name":"One of many"}' }],
  })
  process.stderr.write(`created: ${count} documents\n`)
  const [killed] = INSTANCES
  const url = readDatabaseUrl(sheaf.dataDir)
  const left = created.texts.map((text) => JSON.parse(text) as string)
  const ids: string[] = []
  while (ids.length < SAMPLE && left.length > 0) {
    const [docId = ''] = left.splice(Math.floor(Math.random() * left.length), 1)
    if ((await locateDocument(url, docId)).home === killed) ids.push(docId)
  }
  await sheaf.kill(killed satisfies InstanceName)
  const requests = ids.map((docId) => {
    const records = `/api/docs/${docId}/tables/Table1/records?limit=1`
    return { method: 'GET', path: records, headers }
  })
  const { latencies } = await generator.run({ port, clients: CLIENTS, calls: ids.length, requests })
  const name = `first read of ${ids.length} documents of a killed instance`
  return [
    {
      name: `create documents, ${CLIENTS} clients`,
      unit: 'req/s',
      sheaf: (created.calls / created.ms) * 1000,
    },
    {
      name: `${name}: longest`,
      unit: 'ms',
      sheaf: Math.max(...latencies),
      goal: { side: 'at most', value: 5_000, ratio: false },
    },
    { name: `${name}: 95 %`, unit: 'ms', sheaf: percentile(latencies, 0.95) },
    { name: `${name}: median`, unit: 'ms', sheaf: median(latencies) },
  ]
}

const docIdOf = ({ recordsPath }: SheafTarget) => recordsPath.split('/')[3] ?? ''

/** Milliseconds of reads of one row, one after the other, until the work is done, and of one more. */
async function readWhile(
  { port, headers, recordsPath }: SheafTarget,
  work: () => Promise<unknown>,
): Promise<number[]> {
  const latencies: number[] = []
  let isDone = false
  const read = async () => {
    const since = performance.now()
    const response = await fetch(`http://127.0.0.1:${port}${recordsPath}?limit=1`, { headers })
    await response.arrayBuffer()
    if (!response.ok) throw new Error(`answered ${response.status}`)
    latencies.push(performance.now() - since)
  }
  const reading = async () => {
    while (!isDone) await read()
    await read()
  }
  const working = work().finally(() => {
    isDone = true
  })
  await Promise.all([reading(), working])
  return latencies
}

const move = (document: SheafTarget, to: string) =>
  document.sheaf.operate('documents', 'move', docIdOf(document), to)

/** Bytes of the files in a folder, which may be missing. */
export async function bytesOf(folder: string): Promise<number> {
  if (!existsSync(folder)) return 0
  let bytes = 0
  for (const name of await readdir(folder, { recursive: true })) {
    const entry = await stat(join(folder, name))
    if (entry.isFile()) bytes += entry.size
  }
  return bytes
}
