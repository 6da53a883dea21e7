import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { locateDocument } from '@sheaf/testkit/documents'
import { readDatabaseUrl } from '@sheaf/testkit/engine-process'
import type { Generator } from '../load/generator'
import { addBody } from '../load/rows'
import type { SheafTarget } from '../target'
import { fill } from './compare'

export const MB = 1_000_000
/** A snapshot is made at so many records, at most every ten seconds. */
const SNAPSHOT_RECORDS = 2_000
const SNAPSHOT_MS = 25_000
const POLL_MS = 250
/** Clients that write records; so many may come after a snapshot that the last of them caused. */
const CLIENTS = 8

/** Adds rows until the document has at least this size. */
export async function grow(
  generator: Generator,
  document: SheafTarget,
  bytes: number,
): Promise<void> {
  const path = document.recordsPath.replace(/\/tables\/.*/, '/download')
  let rows = 2_000
  for (let size = 0; size < bytes; rows = Math.min(50_000, rows * 2)) {
    await fill(generator, document, rows)
    const url = `http://127.0.0.1:${document.port}${path}`
    const { headers } = await fetch(url, { method: 'HEAD', headers: document.headers })
    size = Number(headers.get('content-length'))
  }
}

/** Writes to a document until there is a snapshot of the whole document. */
export async function storeAll(generator: Generator, document: SheafTarget): Promise<void> {
  for (let attempt = 0; attempt < 5; attempt++) {
    const { tail } = await locate(document)
    if (tail <= CLIENTS) break
    await addRecords(generator, document, Math.max(1, SNAPSHOT_RECORDS - tail))
    const end = performance.now() + SNAPSHOT_MS
    while ((await locate(document)).tail > CLIENTS && performance.now() < end) await delay(POLL_MS)
  }
}

/** Adds records to a document, each with a request of its own. */
export async function addRecords(
  generator: Generator,
  document: SheafTarget,
  count: number,
): Promise<void> {
  const { port, headers, recordsPath: path } = document
  const requests = [{ method: 'POST', path, headers, body: addBody(0, 1) }]
  await generator.run({ port, clients: CLIENTS, calls: count, requests })
}

/** Runs `work` while no snapshot can be stored: a file is where the folder of the store was. */
export async function withoutStore<Result>(
  { sheaf }: SheafTarget,
  work: () => Promise<Result>,
): Promise<Result> {
  const store = join(sheaf.dataDir, 'store')
  const aside = `${store}-aside`
  // Nothing may have been stored yet.
  await mkdir(store, { recursive: true })
  await rename(store, aside)
  await writeFile(store, '')
  try {
    return await work()
  } finally {
    await rm(store)
    await rename(aside, store)
  }
}

/** Where a document is, and what its log has. */
export function locate({ sheaf, recordsPath }: SheafTarget): ReturnType<typeof locateDocument> {
  return locateDocument(readDatabaseUrl(sheaf.dataDir), recordsPath.split('/')[3] ?? '')
}
