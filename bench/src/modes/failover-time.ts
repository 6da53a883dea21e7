import { randomUUID } from 'node:crypto'
import type { InstanceName } from '@sheaf/testkit/sheaf'
import { startGenerator } from '../load/generator'
import { addBody } from '../load/rows'
import type { Options } from '../options'
import type { Figure } from '../report'
import { startSheafTarget, type SheafTarget } from '../target'
import { addRecords, grow, locate, MB, storeAll, withoutStore } from './stored-documents'

const SIZES = [1, 10, 100]
/** Records after the snapshot. So many as the last come only while the store is away: then no time is wanted. */
const TAILS = [0, 1_000, 50_000]
const AWAY_TAIL = 50_000
const GOAL = { side: 'at most', value: 5_000, ratio: false } as const

const nameOf = (size: number) => `failover, ${size} MB`

/**
 * The time from SIGKILL of the instance that has a document until its first read and its first write are answered, by size
 * of the document and number of records after its snapshot.
 */
export async function measureFailovers(
  { only }: Options,
  env: Record<string, string>,
): Promise<Figure[]> {
  const sizes = SIZES.filter((size) => nameOf(size).includes(only))
  if (sizes.length === 0) return []
  const figures: Figure[] = []
  await using generator = startGenerator()
  await using sheaf = await startSheafTarget({
    ...env,
    SHEAF_REPLICATED: 'true',
    SHEAF_INSTANCES: '3',
    SHEAF_BALANCE_SECONDS: '0',
  })
  for (const size of sizes) {
    const recordsPath = await sheaf.addDocument(`${size} MB`)
    const document = { ...sheaf, recordsPath }
    await grow(generator, document, size * MB)
    for (const tail of TAILS) {
      await storeAll(generator, document)
      const add = () => addRecords(generator, document, tail)
      if (tail === AWAY_TAIL) await withoutStore(document, add)
      else if (tail > 0) await add()
      const { readMs, writeMs } = await measureFailover(document)
      const name = `${nameOf(size)}, ${tail} records after the snapshot`
      const goal = tail === AWAY_TAIL ? undefined : GOAL
      figures.push(
        { name: `${name}: first read`, unit: 'ms', sheaf: readMs, goal },
        { name: `${name}: first write`, unit: 'ms', sheaf: writeMs, goal },
      )
      process.stderr.write(`measured: ${name}\n`)
      await sheaf.sheaf.ready()
    }
  }
  return figures
}

/** Kills the owner. Both requests are sent at once; the gateway holds them until the document has another home. */
async function measureFailover(
  document: SheafTarget,
): Promise<{ readMs: number; writeMs: number }> {
  const { sheaf, port, headers, recordsPath } = document
  await sheaf.kill((await locate(document)).home as InstanceName)
  const killedAt = performance.now()
  const url = `http://127.0.0.1:${port}${recordsPath}`
  const untilAnswered = async (path: string, init: RequestInit) => {
    for (;;) {
      const response = await fetch(path, init)
      await response.arrayBuffer()
      if (response.ok) return performance.now() - killedAt
      if (response.status !== 503) throw new Error(`answered ${response.status}`)
    }
  }
  const [readMs, writeMs] = await Promise.all([
    untilAnswered(`${url}?limit=1`, { headers }),
    untilAnswered(url, {
      method: 'POST',
      headers: {
        ...headers,
        'content-type': 'application/json',
        'idempotency-key': randomUUID(),
      },
      body: addBody(0, 1),
    }),
  ])
  return { readMs, writeMs }
}
