import { randomUUID } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { eventually } from '@sheaf/testkit/eventually'
import { tempDir, type TempDir } from '@sheaf/testkit/temp-dir'
import { TcpProxy, type ProxyFault } from '@sheaf/testkit/tcp-proxy'
import { writeUndeleted } from '../../src/moments/undeleted-file'
import { FolderStore } from '../../src/replication/objects/folder-store'
import type { DocumentStore } from '../../src/store/documents/document-store'
import { addValues, countRows, outcomeOf } from '../support/cluster-documents'
import { differences, startCluster, TestLease, type Cluster } from '../support/replicated-store'
import { author, buildWorkers, createTable, openStore } from '../support/test-store'

let cluster: Cluster
let proxy: TcpProxy
let folder: TempDir
let objects: FolderStore

beforeAll(async () => {
  buildWorkers()
  folder = await tempDir()
  objects = new FolderStore(folder.path)
  cluster = await startCluster(objects)
  proxy = await TcpProxy.start(cluster.url)
})

afterEach(() => {
  jest.restoreAllMocks()
  proxy.admit()
})

afterAll(async () => {
  await proxy[Symbol.asyncDispose]()
  await cluster[Symbol.asyncDispose]()
  await folder[Symbol.asyncDispose]()
})

/** Name of an instance that has a document with one row, which it has written without replication. */
async function startLocal(): Promise<{ readonly name: string; readonly docId: string }> {
  const name = randomUUID()
  await using store = await openStore(cluster.dataOf(name))
  const docId = await createTable(store, 'T', { A: 'Text' })
  await addValues(store, docId, 'local')
  return { name, docId }
}

const replicatorOf = ({ shared }: DocumentStore) => {
  if (!shared.replicator) throw new Error('it is replicated')
  return shared.replicator
}

const localOf = (store: DocumentStore) => replicatorOf(store).local

const synchronousOf = async (store: DocumentStore, docId: string) =>
  (
    await store.transact(docId, author, ({ connection }) =>
      Number(connection.db.pragma('synchronous', { simple: true })),
    )
  ).result

const FULL = 2
const NORMAL = 1

/** Another instance, which has no file of the document, has all of it. */
async function expectElsewhere(store: DocumentStore, docId: string): Promise<void> {
  const name = randomUUID()
  await using other = await cluster.open(name)
  expect(await differences(store, other, docId)).toEqual([])
}

/** Ends an adoption at its step of this number in the store, or with a fault of the log database after that. */
async function interrupt(
  store: DocumentStore,
  docId: string,
  { put: at, log }: { readonly put: number; readonly log?: ProxyFault },
): Promise<void> {
  const put = objects.put.bind(objects)
  let manifests = 0
  jest.spyOn(objects, 'put').mockImplementation(async (path, bytes) => {
    const isLast = path.endsWith('.json') && ++manifests === at
    if (isLast && !log) throw new Error('the instance ends')
    await put(path, bytes)
    if (isLast && log) proxy.failNext(log)
  })
  await localOf(store)
    .adopt(docId)
    .catch(() => {})
  jest.restoreAllMocks()
  proxy.admit()
}

/** A deleted document can be made again with its row. */
async function expectKept(store: DocumentStore, docId: string): Promise<void> {
  const made = randomUUID()
  await store.lifeCycle.createFrom(made, async (path) => {
    await writeUndeleted(store, path, { docId, asOf: undefined })
    return undefined
  })
  await store.prepare(made)
  expect(await countRows(store, made)).toBe(1)
  await expectElsewhere(store, made)
}

describe('a document that an instance has written without replication', () => {
  it('is used as it was, and by no other instance, until it is adopted', async () => {
    const { name, docId } = await startLocal()
    await using store = await cluster.open(name)
    await store.prepare(docId)
    expect(replicatorOf(store).isLocal(docId)).toBe(true)
    await addValues(store, docId, 'before')
    expect(await synchronousOf(store, docId)).toBe(FULL)
    expect(
      await cluster.query('select * from document_log.record where doc = $1', [docId]),
    ).toEqual([])
    await using other = await cluster.open(randomUUID())
    await expect(other.prepare(docId)).rejects.toMatchObject({ reason: 'DOCUMENT_MOVED' })
    await localOf(store).adopt(docId)
    await store.prepare(docId)
    expect(replicatorOf(store).isLocal(docId)).toBe(false)
    expect(await synchronousOf(store, docId)).toBe(NORMAL)
    await addValues(store, docId, 'after')
    expect(await countRows(store, docId)).toBe(3)
    await expectElsewhere(store, docId)
  })

  it('is written while most of it is stored, and has those writes', async () => {
    const { name, docId } = await startLocal()
    await using store = await cluster.open(name)
    await store.prepare(docId)
    await addValues(store, docId, 'before')
    const put = objects.put.bind(objects)
    let writes = 0
    jest.spyOn(objects, 'put').mockImplementation(async (path, bytes) => {
      const isFirst = writes++ === 0
      if (isFirst) await addValues(store, docId, 'meanwhile')
      return put(path, bytes)
    })
    await localOf(store).adopt(docId)
    await store.prepare(docId)
    expect(await countRows(store, docId)).toBe(3)
    await expectElsewhere(store, docId)
  })

  it('is used while the log and the store are away once it is open', async () => {
    const { name, docId } = await startLocal()
    await using store = await cluster.open(name, { url: proxy.through(cluster.url) })
    await store.prepare(docId)
    proxy.refuse()
    jest.spyOn(objects, 'put').mockRejectedValue(new Error('away'))
    await addValues(store, docId, 'meanwhile')
    await expect(localOf(store).adopt(docId)).rejects.toThrow()
    await addValues(store, docId, 'afterwards')
    expect(await countRows(store, docId)).toBe(3)
  })

  it('is adopted before it is used when directory may assign it to another instance', async () => {
    const { name, docId } = await startLocal()
    const lease = new TestLease(name)
    await using store = await cluster.open(name, { lease })
    await store.prepare(docId)
    await addValues(store, docId, 'pinned')
    lease.pinned = false
    lease.end()
    lease.grant()
    jest.spyOn(objects, 'put').mockRejectedValueOnce(new Error('away'))
    expect(await outcomeOf(Promise.resolve(store.prepare(docId)))).toBe('STORE_UNAVAILABLE')
    await store.prepare(docId)
    expect(replicatorOf(store).isLocal(docId)).toBe(false)
    await addValues(store, docId, 'not pinned')
    expect(await countRows(store, docId)).toBe(3)
    await expectElsewhere(store, docId)
  })

  it('is read anew when another process has used it between two leases', async () => {
    const { name, docId } = await startLocal()
    const lease = new TestLease(name)
    await using store = await cluster.open(name, { lease })
    await store.prepare(docId)
    await addValues(store, docId, 'before')
    lease.end()
    {
      await using other = await cluster.open(name)
      await other.prepare(docId)
      await addValues(other, docId, 'between')
    }
    lease.grant()
    await store.prepare(docId)
    await addValues(store, docId, 'after')
    expect(await countRows(store, docId)).toBe(4)
    await localOf(store).adopt(docId)
    await store.prepare(docId)
    await expectElsewhere(store, docId)
  })

  it('needs the lease of its instance', async () => {
    const { name, docId } = await startLocal()
    const lease = new TestLease(name)
    await using store = await cluster.open(name, { lease })
    await store.prepare(docId)
    await addValues(store, docId, 'before')
    lease.end()
    expect(await outcomeOf(addValues(store, docId, 'late'))).toBe('HOME_LEASE_ENDED')
    lease.grant()
    await store.prepare(docId)
    expect(await countRows(store, docId)).toBe(2)
  })

  it('that is damaged, or whose log is lost, is not adopted', async () => {
    const { name, docId } = await startLocal()
    const lost = await startLocal()
    await writeFile(
      join(cluster.dataOf(name), docId.slice(0, 2), docId, 'document.sqlite'),
      'this is no database',
    )
    await using store = await cluster.open(name, { onFileError: () => {} })
    await expect(localOf(store).adopt(docId)).rejects.toMatchObject({
      reason: 'DOCUMENT_DAMAGED',
    })
    await using other = await cluster.open(lost.name)
    await localOf(other).adopt(lost.docId)
    await other.prepare(lost.docId)
    await addValues(other, lost.docId, 'replicated')
    await cluster.query('delete from document_log.head where doc = $1', [lost.docId])
    await using again = await cluster.open(lost.name)
    await expect(again.prepare(lost.docId)).rejects.toMatchObject({ reason: 'LOG_BEHIND' })
  })

  it('that another instance may have changed is not begun again from an old copy when its log is lost', async () => {
    const { name, docId } = await startLocal()
    {
      await using store = await cluster.open(name)
      await localOf(store).adopt(docId)
    }
    {
      await using other = await cluster.open(randomUUID())
      await other.prepare(docId)
      await addValues(other, docId, 'confirmed')
    }
    await cluster.query('delete from document_log.head where doc = $1', [docId])
    const lease = new TestLease(name, new Map([[docId, { home: name, assignment: 2 }]]))
    lease.pinned = false
    await using store = await cluster.open(name, { lease })
    expect(await outcomeOf(Promise.resolve(store.prepare(docId)))).toBe('LOG_BEHIND')
  })

  it('that another instance has changed is not returned to an old copy when the log database is restored', async () => {
    const { name, docId } = await startLocal()
    await using store = await cluster.open(name)
    await store.prepare(docId)
    const [{ term } = {}] = await cluster.query(
      'select term from document_log.head where doc = $1',
      [docId],
    )
    await localOf(store).adopt(docId)
    const next = randomUUID()
    {
      await using other = await cluster.open(next)
      await other.prepare(docId)
      await addValues(other, docId, 'confirmed')
    }
    await cluster.query(
      `update document_log.head set local = true, instance = $2, term = $3, lsn = 0, format = 0,
         snapshot = null, snapshot_lsn = null, snapshot_term = null where doc = $1`,
      [docId, name, term],
    )
    const lease = new TestLease(next)
    await using other = await cluster.open(next, { lease })
    expect(await outcomeOf(Promise.resolve(other.prepare(docId)))).toBe('LOG_BEHIND')
    expect(lease.elsewhere.size).toBe(0)
  })

  it('is removed from the disk when it was deleted while its instance was away', async () => {
    const { name, docId } = await startLocal()
    await using other = await cluster.open(randomUUID())
    await other.lifeCycle.remove(docId)
    await using store = await cluster.open(name)
    await localOf(store).removeDeleted()
    expect(() => store.files.find(docId)).toThrow(
      expect.objectContaining({ reason: 'DOCUMENT_DELETED' }) as Error,
    )
    expect(store.files.kept.find(docId)).toBeUndefined()
  })

  it.each([
    ['it is in use', async (store: DocumentStore, docId: string) => store.prepare(docId)],
    ['it was never opened', () => undefined],
    [
      'its adoption has failed',
      async (store: DocumentStore, docId: string) => {
        await store.prepare(docId)
        // Opened, so that it is stored in two steps.
        await countRows(store, docId)
        await interrupt(store, docId, { put: 2 })
        await store.prepare(docId)
        expect(replicatorOf(store).isLocal(docId)).toBe(true)
      },
    ],
  ])('is kept in its file when it is deleted and %s', async (_, begin) => {
    const { name, docId } = await startLocal()
    await using store = await cluster.open(name, { keptDays: 30 })
    await begin(store, docId)
    await store.lifeCycle.remove(docId, true)
    // As when the answer was lost.
    await store.lifeCycle.remove(docId, true)
    await expectKept(store, docId)
  })

  it('is kept in its file when it was deleted while its instance was away, until it expires', async () => {
    const { name, docId } = await startLocal()
    {
      await using other = await cluster.open(randomUUID(), { keptDays: 30 })
      await other.lifeCycle.remove(docId, true)
    }
    {
      await using store = await cluster.open(name, { keptDays: 30 })
      await localOf(store).removeDeleted()
      await expectKept(store, docId)
    }
    await using store = await cluster.open(name, { keptDays: 0 })
    await eventually(() => store.files.kept.find(docId) === undefined)
  })
})

describe('an instance that ends while it adopts a document', () => {
  it.each([
    ['before anything of it is stored', { put: 1 }],
    ['before all of it is stored', { put: 2 }],
    ['before the log begins', { put: 2, log: 'cut_before' as const }],
    ['when the log has begun', { put: 2, log: 'cut_after' as const }],
    ['and the log begins later', { put: 2, log: 'late' as const }],
  ])('%s finds all of it at its next start', async (_, fault) => {
    const { name, docId } = await startLocal()
    {
      await using store = await cluster.open(name, { url: proxy.through(cluster.url) })
      await store.prepare(docId)
      await addValues(store, docId, 'before')
      await interrupt(store, docId, fault)
    }
    {
      await using store = await cluster.open(name)
      await store.prepare(docId)
      await addValues(store, docId, 'between')
      expect(await countRows(store, docId)).toBe(3)
    }
    await using store = await cluster.open(name)
    await localOf(store).adopt(docId)
    await store.prepare(docId)
    expect(replicatorOf(store).isLocal(docId)).toBe(false)
    await addValues(store, docId, 'after')
    expect(await countRows(store, docId)).toBe(4)
    await expectElsewhere(store, docId)
  })

  it('and goes on finds all of it', async () => {
    const { name, docId } = await startLocal()
    await using store = await cluster.open(name, { url: proxy.through(cluster.url) })
    await store.prepare(docId)
    for (const log of ['cut_before', 'late', 'cut_after'] as const) {
      await interrupt(store, docId, { put: 2, log })
      await store.prepare(docId)
      await addValues(store, docId, log)
    }
    expect(replicatorOf(store).isLocal(docId)).toBe(false)
    expect(await countRows(store, docId)).toBe(4)
    await expectElsewhere(store, docId)
  })
})
