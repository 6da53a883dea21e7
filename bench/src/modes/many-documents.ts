import { startGenerator, type Generator } from '../load/generator'
import type { Options } from '../options'
import { residentMbOf } from '../process-usage'
import type { Figure, Report } from '../report'
import { median, percentile } from '../statistics'
import { startSheafTarget, type RunningTarget, type SheafTarget } from '../target'

const CLIENTS = 4
/** Documents that are open at the same time. */
const OPENED = 1_000
const WARM_UP = 200

/**
 * Measures very many documents on disk: their creation rate, the time to open one, and the memory of an open
 * one.
 */
export async function measureDocuments(
  options: Options,
  env: Record<string, string>,
): Promise<Report> {
  const most = Math.min(OPENED, Math.floor(options.documents / 2))
  await using generator = startGenerator()
  await using target = await startSheafTarget({
    ...env,
    SHEAF_OPEN_DOCUMENTS: String(most + WARM_UP + 100),
    SHEAF_IDLE_SECONDS: '600',
  })
  const { headers, port, documentsPath } = target
  const created = await generator.run({
    port,
    clients: CLIENTS,
    calls: options.documents,
    keepTexts: true,
    requests: [{ method: 'POST', path: documentsPath, headers, body: '{"name":"One of many"}' }],
  })
  process.stderr.write(`created: ${options.documents} documents\n`)
  const ids = created.texts.map((text) => JSON.parse(text) as string)
  const figures: Figure[] = [
    {
      name: `create documents, ${CLIENTS} clients`,
      unit: 'req/s',
      sheaf: (created.calls / created.ms) * 1000,
      goal: { side: 'at least', value: 300, ratio: false },
    },
    { name: 'create: 95 %', unit: 'ms', sheaf: percentile(created.latencies, 0.95) },
    ...(await measureOpening(generator, target, ids.slice(0, most + WARM_UP))),
  ]
  const about =
    `${options.documents} new documents. Then document-data is started anew, and ${most} of them are read ` +
    'for the first time, one after the other (the files may be in the memory of the operating system, their owner’s access ' +
    'is decided anew for each); all of them stay open.'
  return { mode: 'documents', about, figures, tables: [] }
}

async function measureOpening(
  generator: Generator,
  target: RunningTarget<SheafTarget>,
  ids: readonly string[],
): Promise<Figure[]> {
  const { sheaf, headers, port } = target
  await sheaf.restarted('document-data', await sheaf.kill('document-data', 'SIGTERM'))
  const pid = (await sheaf.pids())['document-data'] ?? NaN
  const read = async (docs: readonly string[]) => {
    const requests = docs.map((id) => {
      const path = `/api/docs/${id}/tables/Table1/records?limit=1`
      return { method: 'GET', path, headers }
    })
    const { latencies } = await generator.run({ port, clients: 1, calls: docs.length, requests })
    return latencies
  }
  const warming = ids.slice(0, Math.min(WARM_UP, Math.floor(ids.length / 4)))
  // The process is warmed up first: the first documents are opened and read repeatedly.
  for (let turn = 0; turn < 5; turn++) await read(warming)
  const others = ids.slice(warming.length)
  const before = residentMbOf(pid)
  const cold = await read(others)
  const after = residentMbOf(pid)
  const warm = await read(others)
  process.stderr.write(`opened: ${others.length} documents\n`)
  return [
    { name: 'first read of a closed document: median', unit: 'ms', sheaf: median(cold) },
    {
      name: 'first read of a closed document: 95 %',
      unit: 'ms',
      sheaf: percentile(cold, 0.95),
    },
    { name: 'the same read again: median', unit: 'ms', sheaf: median(warm) },
    { name: 'the same read again: 95 %', unit: 'ms', sheaf: percentile(warm, 0.95) },
    {
      name: 'memory per open document',
      unit: 'KB',
      sheaf: ((after - before) * 1024) / others.length,
    },
    { name: `memory with all of them open`, unit: 'MB', sheaf: after },
  ]
}
