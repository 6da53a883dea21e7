import { eventually } from '@sheaf/testkit/eventually'
import { TcpProxy } from '@sheaf/testkit/tcp-proxy'
import type { DocumentStore } from '../../src/store/documents/document-store'
import { addValues, countRows, outcomeOf } from '../support/cluster-documents'
import { differences, startCluster, TestLease, type Cluster } from '../support/replicated-store'
import { author, buildWorkers, createTable } from '../support/test-store'

let cluster: Cluster
let proxy: TcpProxy

beforeAll(async () => {
  buildWorkers()
  cluster = await startCluster()
  proxy = await TcpProxy.start(cluster.url)
})

afterEach(() => {
  jest.restoreAllMocks()
  proxy.admit()
})

afterAll(async () => {
  await proxy[Symbol.asyncDispose]()
  await cluster[Symbol.asyncDispose]()
})

const through = () => ({ url: proxy.through(cluster.url) })

/** Another instance makes the document from the log; it must be the same. */
async function useFresh(
  instance: string,
  docId: string,
  store: DocumentStore,
  lease = new TestLease(instance),
): Promise<void> {
  await using fresh = await cluster.open(instance, { lease })
  expect(await differences(store, fresh, docId)).toEqual([])
}

describe('the lease of an instance', () => {
  it('that ends while a write is appended does not make its outcome look known', async () => {
    const lease = new TestLease('p')
    await using store = await cluster.open('p', { lease, ...through(), answerMs: 3_000 })
    const docId = await createTable(store, 'T', { A: 'Text' })
    await addValues(store, docId, 'a')
    proxy.failNext('hang')
    const writing = outcomeOf(addValues(store, docId, 'b'))
    await eventually(() => !proxy.isArmed)
    lease.end()
    lease.grant()
    // Opening the document again closes the file in which the write waits.
    await store.prepare(docId)
    expect(await writing).toBe('LOG_UNAVAILABLE')
    const write = async (value: string) => {
      // As every call does: an attempt that finds another log than it knows leaves the document.
      await store.prepare(docId)
      await addValues(store, docId, value)
    }
    await eventually(async () => (await outcomeOf(write('c'))) === 'written')
    await useFresh('p2', docId, store)
  })

  it('is needed for a write that changes nothing, since its answer is a read', async () => {
    const lease = new TestLease('q')
    await using store = await cluster.open('q', { lease })
    const docId = await createTable(store, 'T', { A: 'Text' })
    await store.prepare(docId)
    const change = () => store.transact(docId, author, () => {})
    await change()
    lease.end()
    await expect(change()).rejects.toMatchObject({ reason: 'HOME_LEASE_ENDED' })
  })

  it('decides under which assignment a document is opened: an older one cannot take it back', async () => {
    await using former = await cluster.open('r')
    const docId = await createTable(former, 'T', { A: 'Text' })
    await addValues(former, docId, 'a')
    const assignments = new Map([[docId, { home: 's', assignment: 1 }]])
    await using owner = await cluster.open('s', { lease: new TestLease('s', assignments) })
    await owner.prepare(docId)
    await using late = await cluster.open('r2')
    await expect(late.prepare(docId)).rejects.toMatchObject({ reason: 'DOCUMENT_MOVED' })
    await using other = await cluster.open('t', { lease: new TestLease('t', assignments) })
    await expect(other.prepare(docId)).rejects.toMatchObject({ reason: 'DOCUMENT_MOVED' })
    await addValues(owner, docId, 'b')
    expect(await outcomeOf(addValues(former, docId, 'lost'))).toBe('DOCUMENT_MOVED')
    await useFresh(
      's2',
      docId,
      owner,
      new TestLease('s2', new Map([[docId, { home: 's2', assignment: 2 }]])),
    )
  })

  it('that ends while a document is opened leaves it closed', async () => {
    const lease = new TestLease('u')
    await using store = await cluster.open('u', { lease })
    const docId = await createTable(store, 'T', { A: 'Text' })
    const assign = jest.spyOn(lease, 'assign').mockImplementationOnce((id) => {
      lease.end()
      lease.grant()
      assign.mockRestore()
      return lease.assign(id)
    })
    lease.end()
    lease.grant()
    await expect(store.prepare(docId)).rejects.toMatchObject({ code: 'unavailable' })
    await store.prepare(docId)
    expect(await countRows(store, docId)).toBe(0)
  })
})
