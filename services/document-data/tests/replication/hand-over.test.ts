import { eventually } from '@sheaf/testkit/eventually'
import { TcpProxy } from '@sheaf/testkit/tcp-proxy'
import { addValues, countRows, outcomeOf, readRecords } from '../support/cluster-documents'
import { differences, startCluster, TestLease, type Cluster } from '../support/replicated-store'
import { buildWorkers, createTable } from '../support/test-store'

let cluster: Cluster
let proxy: TcpProxy

beforeAll(async () => {
  buildWorkers()
  cluster = await startCluster()
  proxy = await TcpProxy.start(cluster.url)
})

afterEach(() => proxy.admit())

afterAll(async () => {
  await proxy[Symbol.asyncDispose]()
  await cluster[Symbol.asyncDispose]()
})

/** An instance, a document of it, and the assignments that both instances of a test see. */
async function begin(name: string, options = {}) {
  const assignments = new Map<string, { home: string; assignment: number }>()
  const open = (instance: string, more = {}) =>
    cluster.open(instance, { lease: new TestLease(instance, assignments), ...more })
  const store = await open(name, options)
  const docId = await createTable(store, 'T', { A: 'Text' })
  await addValues(store, docId, 'first')
  const assign = (home: string) => {
    assignments.set(docId, { home, assignment: (assignments.get(docId)?.assignment ?? 0) + 1 })
    return Promise.resolve()
  }
  const handOver = (assigning: () => Promise<void>) => {
    const { replicator } = store.shared
    if (!replicator) throw new Error('it is replicated')
    return replicator.handOver([docId], assigning)
  }
  return { store, docId, open, assign, handOver }
}

describe('a document that is handed over', () => {
  it('is refused by its former instance from then on, and the same on its new one', async () => {
    const { store, docId, open, assign, handOver } = await begin('a')
    await using former = store
    const seen = await readRecords(former, docId)
    const check = former.guard(docId)
    await handOver(async () => {
      expect(await outcomeOf(former.prepare(docId) ?? Promise.resolve())).toBe('DOCUMENT_MOVED')
      expect(await outcomeOf(addValues(former, docId, 'lost'))).toBe('DOCUMENT_MOVED')
      await assign('a2')
    })
    // A read that began before and ends only now may be old.
    expect(await outcomeOf(Promise.resolve().then(check))).toBe('DOCUMENT_MOVED')
    expect(await outcomeOf(former.prepare(docId) ?? Promise.resolve())).toBe('DOCUMENT_MOVED')
    await using owner = await open('a2')
    expect(await differences(former, owner, docId).catch(() => 'refused')).toBe('refused')
    await owner.prepare(docId)
    expect(await readRecords(owner, docId)).toBe(seen)
    await addValues(owner, docId, 'second')
    expect(await countRows(owner, docId)).toBe(2)
  })

  it('has the write that was being appended', async () => {
    const { store, docId, open, assign, handOver } = await begin('b', {
      url: proxy.through(cluster.url),
    })
    await using former = store
    proxy.slowDown(200)
    const writing = outcomeOf(addValues(former, docId, 'second'))
    await handOver(() => assign('b2'))
    expect(await writing).toBe('written')
    await using owner = await open('b2')
    await owner.prepare(docId)
    expect(await countRows(owner, docId)).toBe(2)
  })

  it('is used again when directory did not assign it to another instance', async () => {
    const { store, docId, handOver } = await begin('c')
    await using kept = store
    await expect(handOver(() => Promise.reject(new Error('away')))).rejects.toThrow('away')
    await kept.prepare(docId)
    await addValues(kept, docId, 'second')
    expect(await countRows(kept, docId)).toBe(2)
  })

  it('waits for a running long read, whose answer is whole', async () => {
    const { store, docId, assign, handOver } = await begin('d')
    await using former = store
    let ended = false
    let started = () => {}
    const isRunning = new Promise<void>((resolve) => (started = resolve))
    let end = () => {}
    const reading = former.readOutside(docId, async () => {
      started()
      await new Promise<void>((resolve) => (end = resolve))
      ended = true
    })
    await isRunning
    const handing = handOver(async () => {
      expect(ended).toBe(true)
      await assign('d2')
    })
    await eventually(async () => {
      const preparing = former.prepare(docId)
      return preparing !== undefined && (await outcomeOf(preparing)) === 'DOCUMENT_MOVED'
    })
    end()
    await Promise.all([reading, handing])
  })
})
