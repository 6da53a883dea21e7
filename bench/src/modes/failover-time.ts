import { randomUUID } from 'node:crypto'
import { rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { readDatabaseUrl } from '@sheaf/testkit/engine-process'
import { locateDocument } from '@sheaf/testkit/documents'
import type { InstanceName } from '@sheaf/testkit/sheaf'
import { startGenerator, type Generator } from '../load/generator'
import { addBody } from '../load/rows'
import type { Options } from '../options'
import type { Figure } from '../report'
import { startSheafTarget, type SheafTarget } from '../target'
import { fill } from './compare'

const MB = 1_000_000
const SIZES = [1, 10, 100]
/** Records after the snapshot. So many as the last come only while the store is away: then no time is wanted. */
const TAILS = [0, 1_000, 50_000]
const AWAY_TAIL = 50_000
/** A snapshot is made at so many records, at most every ten seconds. */
const SNAPSHOT_RECORDS = 2_000
const SNAPSHOT_MS = 25_000
const POLL_MS = 250
/** Clients that write records; so many may come after a snapshot that the last of them caused. */
const CLIENTS = 8

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

/** Adds rows until the document has at least this size. */
async function grow(generator: Generator, document: SheafTarget, bytes: number): Promise<void> {
  const path = document.recordsPath.replace(/\/tables\/.*/, '/download')
  let rows = 2_000
  for (let size = 0; size < bytes; rows = Math.min(50_000, rows * 2)) {
    await fill(generator, document, rows)
    const url = `http://127.0.0.1:${document.port}${path}`
    const { headers } = await fetch(url, { method: 'HEAD', headers: document.headers })
    size = Number(headers.get('content-length'))
  }
}

/** Writes until there is a snapshot of the whole document. */
async function storeAll(generator: Generator, document: SheafTarget): Promise<void> {
  for (let attempt = 0; attempt < 5; attempt++) {
    const { tail } = await locate(document)
    if (tail <= CLIENTS) break
    await addRecords(generator, document, Math.max(1, SNAPSHOT_RECORDS - tail))
    const end = performance.now() + SNAPSHOT_MS
    while ((await locate(document)).tail > CLIENTS && performance.now() < end) await delay(POLL_MS)
  }
}

/** Runs `work` while no snapshot can be stored: a file is where the folder of the store was. */
async function withoutStore({ sheaf }: SheafTarget, work: () => Promise<void>): Promise<void> {
  const store = join(sheaf.dataDir, 'store')
  const aside = `${store}-aside`
  await rename(store, aside)
  await writeFile(store, '')
  try {
    await work()
  } finally {
    await rm(store)
    await rename(aside, store)
  }
}

async function addRecords(
  generator: Generator,
  document: SheafTarget,
  count: number,
): Promise<void> {
  const { port, headers, recordsPath: path } = document
  const requests = [{ method: 'POST', path, headers, body: addBody(0, 1) }]
  await generator.run({ port, clients: CLIENTS, calls: count, requests })
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

function locate({ sheaf, recordsPath }: SheafTarget) {
  return locateDocument(readDatabaseUrl(sheaf.dataDir), recordsPath.split('/')[3] ?? '')
}
