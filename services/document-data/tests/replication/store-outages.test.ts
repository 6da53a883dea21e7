import { rm } from 'node:fs/promises'
import { startS3Server, type S3Server } from '@sheaf/testkit/s3-server'
import { TcpProxy } from '@sheaf/testkit/tcp-proxy'
import { S3Store } from '../../src/replication/objects/s3-store'
import type { DocumentStore } from '../../src/store/documents/document-store'
import { addValues, readRecords } from '../support/cluster-documents'
import { startCluster, type Cluster } from '../support/replicated-store'
import { author, createTable } from '../support/test-store'

let server: S3Server
let proxy: TcpProxy
let objects: S3Store
let cluster: Cluster

beforeAll(async () => {
  server = await startS3Server()
  const { endpoint } = server.settings
  proxy = await TcpProxy.start(endpoint)
  objects = new S3Store({ ...server.settings, endpoint: proxy.through(endpoint) })
  cluster = await startCluster(objects)
})

afterEach(() => proxy.admit())

afterAll(async () => {
  await cluster[Symbol.asyncDispose]()
  objects[Symbol.dispose]()
  await proxy[Symbol.asyncDispose]()
  await server[Symbol.asyncDispose]()
})

/** Creates a document whose log begins with a snapshot. */
async function createFromSnapshot(store: DocumentStore, docId: string): Promise<void> {
  const source = await createTable(store, 'T', { A: 'Text' })
  await addValues(store, source, 'from the snapshot')
  const form = { history: false, data: true, whole: true }
  const bytes = store.snapshots.read(source, form, (snapshot) => snapshot.bytes, { userId: 1 })
  await store.lifeCycle.createFromSnapshot(docId, bytes, author)
}

it('a document is made from a bucket after the disk was lost, with its snapshot and what came later', async () => {
  const docId = 'a0000000-0000-4000-8000-000000000001'
  const before = await cluster.open('a')
  await createFromSnapshot(before, docId)
  await before.prepare(docId)
  await addValues(before, docId, 'later')
  const seen = await readRecords(before, docId)
  await before[Symbol.asyncDispose]()
  await rm(cluster.dataOf('a'), { recursive: true })
  await using after = await cluster.open('a')
  await after.prepare(docId)
  expect(await readRecords(after, docId)).toBe(seen)
  expect(seen).toContain('later')
})

describe('while the store is away', () => {
  it('documents that are open are read and written, and those that need it are unavailable until it is back', async () => {
    const docId = 'b0000000-0000-4000-8000-000000000001'
    const before = await cluster.open('b')
    await createFromSnapshot(before, docId)
    const other = await createTable(before, 'T', { A: 'Text' })
    await before.prepare(docId)
    const seen = await readRecords(before, docId)
    proxy.refuse()
    await addValues(before, other, 'while it is away')
    expect(await readRecords(before, other)).toContain('while it is away')
    await before[Symbol.asyncDispose]()
    await rm(cluster.dataOf('b'), { recursive: true })
    await using after = await cluster.open('b')
    await expect(after.prepare(docId)).rejects.toMatchObject({ reason: 'STORE_UNAVAILABLE' })
    await after.prepare(other)
    expect(await readRecords(after, other)).toContain('while it is away')
    proxy.admit()
    await after.prepare(docId)
    expect(await readRecords(after, docId)).toBe(seen)
  })

  it('a document that would begin with a snapshot is not created', async () => {
    const docId = 'c0000000-0000-4000-8000-000000000001'
    await using store = await cluster.open('c')
    proxy.refuse()
    await expect(createFromSnapshot(store, docId)).rejects.toMatchObject({
      reason: 'STORE_UNAVAILABLE',
    })
    expect(await cluster.query('select from document_log.head where doc = $1', [docId])).toEqual([])
    proxy.admit()
    await createFromSnapshot(store, docId)
    await store.prepare(docId)
    expect(await readRecords(store, docId)).toContain('from the snapshot')
  })
})
