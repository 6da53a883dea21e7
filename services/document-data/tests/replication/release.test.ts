import { randomUUID } from 'node:crypto'
import { closeSync, openSync, statSync, writeSync } from 'node:fs'
import { setImmediate } from 'node:timers/promises'
import { TcpProxy, type ProxyFault } from '@sheaf/testkit/tcp-proxy'
import { writeUndeleted } from '../../src/moments/undeleted-file'
import type { DocumentStore } from '../../src/store/documents/document-store'
import { addValues, countRows, outcomeOf } from '../support/cluster-documents'
import { differences, startCluster, TestLease, type Cluster } from '../support/replicated-store'
import { author, buildWorkers, createTable, openStore } from '../support/test-store'

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

const replicatorOf = ({ shared }: DocumentStore) => {
  if (!shared.replicator) throw new Error('it is replicated')
  return shared.replicator
}

/** Directory pins each document that is released, if `pins` is not false. */
const release = (store: DocumentStore, docId: string, pin = () => Promise.resolve()) =>
  replicatorOf(store).local.release(docId, pin)

/** A replicated document with one row. */
async function createReplicated(store: DocumentStore): Promise<string> {
  const docId = await createTable(store, 'T', { A: 'Text' })
  await addValues(store, docId, 'replicated')
  return docId
}

/** As `createReplicated`, by an instance that has ended. */
async function createElsewhere(): Promise<string> {
  await using store = await cluster.open(randomUUID())
  return await createReplicated(store)
}

const headOf = async (docId: string) => {
  const [head] = await cluster.query('select * from document_log.head where doc = $1', [docId])
  return head
}

const recordsOf = (docId: string) =>
  cluster.query('select * from document_log.record where doc = $1', [docId])

const synchronousOf = async (store: DocumentStore, docId: string) =>
  (
    await store.transact(docId, author, ({ connection }) =>
      Number(connection.db.pragma('synchronous', { simple: true })),
    )
  ).result

const FULL = 2
/** Bytes at the end of a file, in which there are values of cells. */
const DAMAGED = 100_000

/** Rows of a document on the disk of an instance that has ended, without replication. */
async function countAlone(name: string, docId: string): Promise<number> {
  await using store = await openStore(cluster.dataOf(name))
  return countRows(store, docId)
}

/** Releases a document with a fault of the log database when its log is to end. */
async function interrupt(store: DocumentStore, docId: string, fault: ProxyFault): Promise<string> {
  const { unpublished } = store.files
  const set = unpublished.set.bind(unpublished)
  jest.spyOn(unpublished, 'set').mockImplementation((marked) => {
    set(marked)
    proxy.failNext(fault)
  })
  const outcome = await outcomeOf(release(store, docId))
  jest.restoreAllMocks()
  proxy.admit()
  return outcome
}

describe('a replicated document that is released', () => {
  it('is on the disk of its instance alone, which needs no replication for it, until it is adopted again', async () => {
    const name = randomUUID()
    let docId: string
    {
      await using store = await cluster.open(name)
      docId = await createReplicated(store)
    }
    await expect(countAlone(name, docId)).rejects.toMatchObject({ reason: 'DOCUMENT_REPLICATED' })
    {
      await using store = await cluster.open(name)
      await release(store, docId)
      await store.prepare(docId)
      expect(replicatorOf(store).isLocal(docId)).toBe(true)
      await addValues(store, docId, 'released')
      expect(await synchronousOf(store, docId)).toBe(FULL)
      expect(await recordsOf(docId)).toEqual([])
      expect(await replicatorOf(store).local.listStored([docId])).toEqual([])
      // Once more is the same as once.
      await release(store, docId)
    }
    {
      await using alone = await openStore(cluster.dataOf(name))
      await addValues(alone, docId, 'without replication')
    }
    await using store = await cluster.open(name)
    await replicatorOf(store).local.adopt(docId)
    await store.prepare(docId)
    expect(replicatorOf(store).isLocal(docId)).toBe(false)
    await addValues(store, docId, 'adopted')
    expect(await countRows(store, docId)).toBe(4)
    await using other = await cluster.open(randomUUID())
    expect(await differences(store, other, docId)).toEqual([])
  })

  it('has what another instance has written, and is used by no other one, which tells directory where it is', async () => {
    const name = randomUUID()
    await using first = await cluster.open(randomUUID())
    const docId = await createReplicated(first)
    await using store = await cluster.open(name)
    await release(store, docId)
    await store.prepare(docId)
    expect(await countRows(store, docId)).toBe(1)
    const next = randomUUID()
    const lease = new TestLease(next)
    await using other = await cluster.open(next, { lease })
    for (const each of [other, first])
      expect(
        await outcomeOf(
          Promise.resolve(each.prepare(docId)).then(() => addValues(each, docId, 'late')),
        ),
      ).toBe('DOCUMENT_MOVED')
    expect(lease.elsewhere.get(docId)).toBe(name)
    expect(await countRows(store, docId)).toBe(1)
  })

  it('has every write that was answered while it was released', async () => {
    await using store = await cluster.open(randomUUID())
    const docId = await createReplicated(store)
    let isOver = false
    let written = 1
    const writing = (async () => {
      while (!isOver) {
        const outcome = await outcomeOf(
          Promise.resolve(store.prepare(docId)).then(() => addValues(store, docId, 'meanwhile')),
        )
        // What is refused is refused at once: others have to run as well.
        await setImmediate()
        if (outcome === 'written') written++
        else expect(outcome).toBe('DOCUMENT_MOVED')
      }
    })()
    await release(store, docId)
    isOver = true
    await writing
    await store.prepare(docId)
    expect(replicatorOf(store).isLocal(docId)).toBe(true)
    expect(await countRows(store, docId)).toBe(written)
  })

  it('is adopted again before it is used when directory could not pin it', async () => {
    const name = randomUUID()
    const lease = new TestLease(name, new Map())
    await using store = await cluster.open(name, { lease })
    const docId = await createReplicated(store)
    lease.pinned = false
    const pin = () => Promise.reject(new Error('directory is away'))
    await expect(release(store, docId, pin)).rejects.toThrow('directory is away')
    expect(await headOf(docId)).toMatchObject({ local: true })
    await store.prepare(docId)
    expect(replicatorOf(store).isLocal(docId)).toBe(false)
    await addValues(store, docId, 'after')
    await using other = await cluster.open(randomUUID())
    expect(await differences(store, other, docId)).toEqual([])
  })

  it('is kept in its file when it is deleted', async () => {
    await using store = await cluster.open(randomUUID(), { keptDays: 30 })
    const docId = await createReplicated(store)
    await release(store, docId)
    await store.prepare(docId)
    await addValues(store, docId, 'released')
    await store.lifeCycle.remove(docId, true)
    const made = randomUUID()
    await store.lifeCycle.createFrom(made, async (path) => {
      await writeUndeleted(store, path, { docId, asOf: undefined })
      return undefined
    })
    await store.prepare(made)
    expect(await countRows(store, made)).toBe(2)
  })

  it('remains replicated when the disk has too little free space, its file is damaged, or it was opened elsewhere', async () => {
    const name = randomUUID()
    await using store = await cluster.open(name, { onFileError: () => {} })
    const docId = await createReplicated(store)
    const before = await headOf(docId)
    jest.spyOn(store.files, 'lackingBytes').mockResolvedValueOnce(1)
    expect(await outcomeOf(release(store, docId))).toBe('DISK_FULL')
    const large = await createReplicated(store)
    for (let count = 0; count < 20; count++) await addValues(store, large, 'x'.repeat(20_000))
    await replicatorOf(store).handOver([large], () => Promise.resolve())
    // When it has been opened, which makes a damaged file again.
    jest.spyOn(store.files, 'lackingBytes').mockImplementationOnce(() => {
      const path = store.files.find(large)
      const file = openSync(path, 'r+')
      writeSync(file, Buffer.alloc(DAMAGED, 0xff), 0, DAMAGED, statSync(path).size - DAMAGED)
      closeSync(file)
      return Promise.resolve(-1)
    })
    expect(await outcomeOf(release(store, large))).toBe('DOCUMENT_DAMAGED')
    expect(await headOf(large)).toMatchObject({ local: false })
    expect(await headOf(docId)).toEqual(before)
    await addValues(store, docId, 'after')
    expect(await recordsOf(docId)).not.toEqual([])
  })
})

describe('an instance that ends while it releases a document', () => {
  it.each([
    ['before the log ends', 'cut_before' as const],
    ['when the log has ended', 'cut_after' as const],
    ['and the log ends later', 'late' as const],
  ])('%s finds all of it at its next start', async (_, fault) => {
    const name = randomUUID()
    let docId: string
    {
      await using store = await cluster.open(name, { url: proxy.through(cluster.url) })
      docId = await createReplicated(store)
      await addValues(store, docId, 'before')
      expect(await interrupt(store, docId, fault)).not.toBe('written')
      // Whatever the outcome: it is known only to the log.
      await expect(countAlone(name, docId)).rejects.toMatchObject({ reason: 'DOCUMENT_REPLICATED' })
    }
    {
      await using store = await cluster.open(name)
      await store.prepare(docId)
      await addValues(store, docId, 'between')
      expect(await countRows(store, docId)).toBe(3)
      await release(store, docId)
      await store.prepare(docId)
      expect(replicatorOf(store).isLocal(docId)).toBe(true)
      await addValues(store, docId, 'after')
    }
    expect(await countAlone(name, docId)).toBe(4)
  })

  it.each(['cut_after', 'late'] as const)(
    'before directory has pinned it adopts it again, also one that another instance had before (%s)',
    async (fault) => {
      const name = randomUUID()
      const docId = await createElsewhere()
      const lease = new TestLease(name, new Map([[docId, { home: name, assignment: 1 }]]))
      lease.pinned = false
      {
        await using store = await cluster.open(name, { lease, url: proxy.through(cluster.url) })
        await store.prepare(docId)
        await addValues(store, docId, 'before')
        expect(await interrupt(store, docId, fault)).not.toBe('written')
      }
      await using store = await cluster.open(name, { lease })
      await store.prepare(docId)
      expect(replicatorOf(store).isLocal(docId)).toBe(false)
      await addValues(store, docId, 'after')
      expect(await countRows(store, docId)).toBe(3)
      const next = randomUUID()
      const assigned = new Map([[docId, { home: next, assignment: 2 }]])
      await using other = await cluster.open(next, { lease: new TestLease(next, assigned) })
      expect(await differences(store, other, docId)).toEqual([])
    },
  )

  it('and goes on finds all of it', async () => {
    const name = randomUUID()
    await using store = await cluster.open(name, { url: proxy.through(cluster.url) })
    const docId = await createReplicated(store)
    for (const fault of ['cut_before', 'late', 'cut_after'] as const) {
      await interrupt(store, docId, fault)
      await store.prepare(docId)
      await addValues(store, docId, fault)
    }
    expect(await countRows(store, docId)).toBe(4)
  })
})
