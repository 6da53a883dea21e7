import { startGenerator } from '../load/generator'
import { listDescendants, residentMbOf } from '../process-usage'
import type { Figure } from '../report'
import { median } from '../statistics'
import { startSheafTarget } from '../target'
import { formulas, Orders, type Parts } from './orders'

/** Documents in use at once, and their rows. */
const DOCUMENTS = 1_000
const ROWS = 20
const CLIENTS = 4
/** Edits of each document after the first one. */
const EDITS = 5

interface InUse {
  /** Memory of document-data with the processes that it started, before and after each document was edited, in MB. */
  readonly before: number
  readonly after: number
  /** Processes that document-data started. */
  readonly processes: number
  /** Edits per second of the documents in turn, and their latency. */
  readonly rate: number
  readonly latency: number
}

/** Measures very many documents that are edited in turn: as they are, and once they have simple formulas. */
export async function measureManyDocuments(env: Record<string, string>): Promise<Figure[]> {
  await using generator = startGenerator()
  await using target = await startSheafTarget({
    ...env,
    SHEAF_OPEN_DOCUMENTS: String(DOCUMENTS + 100),
    SHEAF_IDLE_SECONDS: '600',
  })
  const documents: Orders[] = []
  while (documents.length < DOCUMENTS)
    documents.push(await Orders.create({ target, generator }, ROWS))
  const plain = await measureInUse({ target, generator }, documents)
  for (const orders of documents)
    for (const id of ['total', 'shared'] as const) await orders.addColumn(id, formulas[id])
  const computed = await measureInUse({ target, generator }, documents)
  const perDocument = ({ before, after }: InUse) => ((after - before) * 1024) / DOCUMENTS
  const named = (name: string) => `${DOCUMENTS} documents edited in turn, ${name}`
  return [
    { name: named(`no formulas, ${CLIENTS} clients`), unit: 'req/s', sheaf: plain.rate },
    { name: named(`compiled formulas, ${CLIENTS} clients`), unit: 'req/s', sheaf: computed.rate },
    { name: named('no formulas: median'), unit: 'ms', sheaf: plain.latency },
    { name: named('compiled formulas: median'), unit: 'ms', sheaf: computed.latency },
    { name: named('no formulas: memory per document'), unit: 'KB', sheaf: perDocument(plain) },
    {
      name: named('compiled formulas: memory per document'),
      unit: 'KB',
      sheaf: perDocument(computed),
    },
    { name: named('no formulas: memory of document-data'), unit: 'MB', sheaf: plain.after },
    {
      name: named('compiled formulas: memory of document-data and its processes'),
      unit: 'MB',
      sheaf: computed.after,
    },
    {
      name: named('compiled formulas: processes of formulas'),
      unit: '',
      sheaf: computed.processes,
      goal: { side: 'at most', value: 0, ratio: false },
    },
  ]
}

async function measureInUse(
  { target, generator }: Parts,
  documents: readonly Orders[],
): Promise<InUse> {
  const { sheaf, port } = target
  // Creating documents takes memory that using them does not need.
  const pid = await sheaf.restarted('document-data', await sheaf.kill('document-data', 'SIGTERM'))
  const memory = () =>
    [pid, ...listDescendants(pid)].reduce((sum, each) => sum + residentMbOf(each), 0)
  const edit = async (from: number, turns: number) => {
    const requests = Array.from({ length: turns }, (_, turn) =>
      documents.map((orders) => orders.quantityEdit(from + turn)),
    ).flat()
    const load = { port, clients: CLIENTS, calls: requests.length, requests }
    return generator.run(load)
  }
  const before = memory()
  await edit(0, 1)
  const after = memory()
  const { calls, ms, latencies } = await edit(1, EDITS)
  return {
    before,
    after,
    processes: listDescendants(pid).length,
    rate: (calls / ms) * 1_000,
    latency: median(latencies),
  }
}
