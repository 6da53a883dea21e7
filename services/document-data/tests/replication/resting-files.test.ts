import { existsSync } from 'node:fs'
import { readdir, stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { LogDatabase } from '@sheaf/document-log/log-database'
import { createLogger } from '@sheaf/kit/logger'
import { eventually } from '@sheaf/testkit/eventually'
import { RestingFiles } from '../../src/replication/resting-files'
import type { DocumentStore } from '../../src/store/documents/document-store'
import { DOCUMENT_FILE } from '../../src/store/sqlite/document-files'
import { addValues, countRows, readRecords } from '../support/cluster-documents'
import { startCluster, type Cluster } from '../support/replicated-store'
import { author, buildWorkers, createTable } from '../support/test-store'

let cluster: Cluster
beforeAll(async () => {
  buildWorkers()
  cluster = await startCluster()
})
afterAll(() => cluster[Symbol.asyncDispose]())

/** Files of documents are closed soon. */
const short = { idleMs: 100 }

/** Begins to remove files beyond so many bytes. */
function keepWithin(bytes: number, store: DocumentStore, lookMs = 20): RestingFiles {
  const log = createLogger('test')
  const database = new LogDatabase({ url: cluster.url, log })
  return new RestingFiles(store, { database, budget: { bytes, lookMs }, log })
}

const pathOf = (instance: string, docId: string) =>
  join(cluster.dataOf(instance), docId.slice(0, 2), docId, DOCUMENT_FILE)

/** Creates documents with a row each, used in this order, and closes their store. */
async function createClosed(instance: string, count: number): Promise<string[]> {
  const store = await cluster.open(instance)
  const docIds: string[] = []
  for (let made = 0; made < count; made++) {
    const docId = await createTable(store, 'T', { A: 'Text' })
    await addValues(store, docId, `row of ${made}`)
    docIds.push(docId)
  }
  await store[Symbol.asyncDispose]()
  for (const [index, docId] of docIds.entries())
    await utimes(pathOf(instance, docId), index + 1, index + 1)
  return docIds
}

describe('files of documents that are not in use', () => {
  it('leave the disk, and are made again with the next call', async () => {
    const docIds = await createClosed('a', 3)
    await using store = await cluster.open('a', short)
    await using files = keepWithin(1, store)
    await eventually(() => files.removed === 3)
    for (const [index, docId] of docIds.entries()) {
      expect(existsSync(pathOf('a', docId))).toBe(false)
      await store.prepare(docId)
      expect(await readRecords(store, docId)).toContain(`row of ${index}`)
      await addValues(store, docId, 'later')
    }
    await eventually(() => files.removed === 6)
    for (const docId of docIds) {
      await store.prepare(docId)
      expect(await countRows(store, docId)).toBe(2)
    }
  })

  it('leave the disk only beyond the budget, those used longest ago first', async () => {
    const docIds = await createClosed('b', 4)
    const { size } = await stat(pathOf('b', docIds[0] ?? ''))
    await using store = await cluster.open('b', short)
    await using files = keepWithin(2.5 * size, store)
    await eventually(() => files.removed === 2)
    expect(docIds.map((docId) => existsSync(pathOf('b', docId)))).toEqual([
      false,
      false,
      true,
      true,
    ])
  })

  it('stay while the documents are in use', async () => {
    const [docId = '', other = ''] = await createClosed('c', 2)
    await using store = await cluster.open('c')
    await store.prepare(other)
    await addValues(store, other, 'in use')
    await utimes(pathOf('c', other), 0, 0)
    await using files = keepWithin(1, store)
    await eventually(() => files.removed === 1)
    expect(existsSync(pathOf('c', docId))).toBe(false)
    expect(existsSync(pathOf('c', other))).toBe(true)
    expect(await countRows(store, other)).toBe(2)
  })

  it('keep nothing back from writes that come at any moment', async () => {
    const [docId = ''] = await createClosed('d', 1)
    await using store = await cluster.open('d', { idleMs: 1 })
    await using files = keepWithin(1, store, 1)
    /** A call that is refused meanwhile is repeated, as by the gateway. */
    const write = () =>
      eventually(async () => {
        await store.prepare(docId)
        await addValues(store, docId, 'value')
        return true
      })
    for (let round = 0; round < 6; round++) {
      const before = files.removed
      await write()
      // From when it is closed the file may be removed.
      await eventually(() => store.openCount === 0 && (round % 2 === 0 || files.removed > before), {
        everyMs: 1,
      })
    }
    await eventually(async () => {
      await store.prepare(docId)
      return (await countRows(store, docId)) === 7
    })
  })

  it('stay when the log lacks what they have, or the snapshot is damaged', async () => {
    const [behind = '', healthy = ''] = await createClosed('e', 2)
    const before = await cluster.open('e')
    const damaged = 'd0000000-0000-4000-8000-000000000002'
    const form = { history: false, data: true, whole: true }
    await before.prepare(healthy)
    const bytes = before.snapshots.read(healthy, form, (snapshot) => snapshot.bytes, { userId: 1 })
    await before.lifeCycle.createFromSnapshot(damaged, bytes, author)
    await before[Symbol.asyncDispose]()
    await cluster.query('update document_log.head set lsn = lsn - 1 where doc = $1', [behind])
    const pieces = join(cluster.folder, 'store', damaged.slice(0, 2), damaged, 'pieces')
    for (const piece of await readdir(pieces)) await writeFile(join(pieces, piece), 'x')
    // The others come before it.
    await utimes(pathOf('e', behind), 1, 1)
    await utimes(pathOf('e', damaged), 2, 2)
    await utimes(pathOf('e', healthy), 3, 3)
    await using store = await cluster.open('e', short)
    await using files = keepWithin(1, store)
    await eventually(() => files.removed === 1)
    expect(existsSync(pathOf('e', healthy))).toBe(false)
    expect([behind, damaged].map((docId) => existsSync(pathOf('e', docId)))).toEqual([true, true])
  })
})
