import { rm } from 'node:fs/promises'
import fc from 'fast-check'
import { eventually } from '@sheaf/testkit/eventually'
import { TcpProxy, type ProxyFault } from '@sheaf/testkit/tcp-proxy'
import type { DocumentStore } from '../../src/store/documents/document-store'
import { readLastPosition } from '../../src/store/log/record-writer'
import { formatOf, formats } from '../../src/store/sqlite/migrations/index'
import { addValues, outcomeOf, readRecords } from '../support/cluster-documents'
import { randomWrites } from '../support/random-writes'
import { differences, startCluster, TestLease, type Cluster } from '../support/replicated-store'
import { author, createTable, writeOrRefuse } from '../support/test-store'

// All instances are of the next release, which has one migration more.
jest.mock('../../src/store/sqlite/migrations/all', () => {
  const all = jest.requireActual<typeof import('../../src/store/sqlite/migrations/all')>(
    '../../src/store/sqlite/migrations/all',
  )
  const next =
    'CREATE TABLE _sheaf_next (id INTEGER PRIMARY KEY); INSERT INTO _sheaf_next VALUES (7)'
  return { migrations: [...all.migrations, next] }
})

const mockLog: { beforeFormat: (() => void) | undefined } = { beforeFormat: undefined }
jest.mock('@sheaf/document-log/heads', () => {
  const heads = jest.requireActual<typeof import('@sheaf/document-log/heads')>(
    '@sheaf/document-log/heads',
  )
  const appendFormat = (...args: Parameters<typeof heads.appendFormat>) => {
    mockLog.beforeFormat?.()
    return heads.appendFormat(...args)
  }
  return { ...heads, appendFormat }
})

const NEXT = formats.max
const PRESENT = NEXT - 1

let cluster: Cluster
let proxy: TcpProxy
beforeAll(async () => {
  cluster = await startCluster()
  proxy = await TcpProxy.start(cluster.url)
})
afterAll(async () => {
  await proxy[Symbol.asyncDispose]()
  await cluster[Symbol.asyncDispose]()
})

/** A lease while all instances can read this format. */
function leaseOf(instance: string, writeFormat: number): TestLease {
  const lease = new TestLease(instance)
  lease.writeFormat = writeFormat
  return lease
}
const formatIn = (store: DocumentStore, docId: string) =>
  store.read<number>(docId, ({ connection }) => formatOf(connection.db))
const lsnIn = (store: DocumentStore, docId: string) =>
  store.read<number>(docId, ({ connection }) => readLastPosition(connection).lsn)
const headOf = async (docId: string) => {
  const [head] = await cluster.query('select format, lsn from document_log.head where doc = $1', [
    docId,
  ])
  return head
}

describe('a document of the present release', () => {
  it('is used as it is while an instance of that release may have to read it', async () => {
    const lease = leaseOf('a', PRESENT)
    await using store = await cluster.open('a', { lease })
    const docId = await createTable(store, 'T', { A: 'Text' })
    await addValues(store, docId, 'a')
    expect(formatIn(store, docId)).toBe(PRESENT)
    expect(await headOf(docId)).toMatchObject({ format: PRESENT })
    expect(await readRecords(store, docId)).toContain('"A":"a"')
  })

  it('is migrated by a record when it is opened once all instances can read that', async () => {
    const lease = leaseOf('b', PRESENT)
    await using store = await cluster.open('b', { lease, maxOpen: 1 })
    const docId = await createTable(store, 'T', { A: 'Text' })
    await addValues(store, docId, 'a')
    const before = lsnIn(store, docId)
    lease.writeFormat = NEXT
    // In use: it keeps its format.
    await store.prepare(docId)
    expect(formatIn(store, docId)).toBe(PRESENT)
    // Another document takes its place.
    await createTable(store, 'T', { A: 'Text' })
    await store.prepare(docId)
    expect([formatIn(store, docId), lsnIn(store, docId)]).toEqual([NEXT, before + 1])
    expect(await headOf(docId)).toMatchObject({ format: NEXT, lsn: before + 1 })
    await addValues(store, docId, 'b')
    expect(lsnIn(store, docId)).toBe(before + 2)
    await using other = await cluster.open('b2')
    expect(await differences(store, other, docId)).toEqual([])
    expect(formatIn(other, docId)).toBe(NEXT)
  })

  it('is not migrated when an instance that cannot read that has come since directory was asked', async () => {
    const lease = leaseOf('g', PRESENT)
    await using store = await cluster.open('g', { lease })
    const docId = await createTable(store, 'T', { A: 'Text' })
    const { assign } = lease
    lease.assign = async (...asked) => ({
      ...(await assign.apply(lease, asked)),
      writeFormat: NEXT,
    })
    lease.end()
    lease.grant()
    await store.prepare(docId)
    expect(formatIn(store, docId)).toBe(PRESENT)
    expect(await headOf(docId)).toMatchObject({ format: PRESENT })
  })

  it.each<ProxyFault>(['cut_before', 'cut_after', 'late', 'hang'])(
    'is migrated once when the answer of the log database to the record is lost: %s',
    async (fault) => {
      const lease = leaseOf(fault, PRESENT)
      await using store = await cluster.open(fault, { lease, url: proxy.through(cluster.url) })
      const docId = await createTable(store, 'T', { A: 'Text' })
      await addValues(store, docId, 'a')
      const before = { text: await readRecords(store, docId), lsn: lsnIn(store, docId) }
      lease.end()
      lease.grant()
      lease.writeFormat = NEXT
      mockLog.beforeFormat = () => {
        mockLog.beforeFormat = undefined
        proxy.failNext(fault)
        // Nobody waits for an answer for ever.
        if (fault === 'hang')
          void eventually(() => !proxy.isArmed, { everyMs: 1 }).then(() => proxy.refuse())
      }
      expect(await outcomeOf(Promise.resolve(store.prepare(docId)))).not.toBe('written')
      expect(proxy.isArmed).toBe(false)
      proxy.admit()
      await eventually(
        async () => (await outcomeOf(Promise.resolve(store.prepare(docId)))) === 'written',
      )
      expect([formatIn(store, docId), lsnIn(store, docId)]).toEqual([NEXT, before.lsn + 1])
      expect(await headOf(docId)).toMatchObject({ format: NEXT, lsn: before.lsn + 1 })
      expect(await readRecords(store, docId)).toBe(before.text)
      await addValues(store, docId, 'b')
      await using other = await cluster.open(`${fault}-2`)
      expect(await differences(store, other, docId)).toEqual([])
      expect(formatIn(other, docId)).toBe(NEXT)
    },
  )

  it('is made again from its log with the migration where it was, after any writes', async () => {
    await fc.assert(
      fc.asyncProperty(randomWrites(6), randomWrites(6), async (first, second) => {
        const lease = leaseOf('c', PRESENT)
        const before = await cluster.open('c', { lease })
        const types = { Name: 'Text', Friend: 'Ref:People' }
        const docId = await createTable(before, 'People', types)
        for (const change of first) await writeOrRefuse(before, docId, change)
        lease.end()
        lease.grant()
        lease.writeFormat = NEXT
        await before.prepare(docId)
        for (const change of second) await writeOrRefuse(before, docId, change)
        expect(formatIn(before, docId)).toBe(NEXT)
        await using other = await cluster.open('d')
        expect(await differences(before, other, docId)).toEqual([])
        await before[Symbol.asyncDispose]()
        await rm(cluster.dataOf('c'), { recursive: true })
        await using after = await cluster.open('c', { lease: leaseOf('c', PRESENT) })
        await after.prepare(docId)
        expect(await differences(after, other, docId)).toEqual([])
        expect(formatIn(after, docId)).toBe(NEXT)
      }),
      { numRuns: 8, endOnFailure: true },
    )
  })

  it('is created in the newest format that all instances can read', async () => {
    await using store = await cluster.open('e', { lease: leaseOf('e', NEXT) })
    const docId = await createTable(store, 'T', { A: 'Text' })
    expect(formatIn(store, docId)).toBe(NEXT)
    await using other = await cluster.open('e2')
    expect(await differences(store, other, docId)).toEqual([])
    expect(formatIn(other, docId)).toBe(NEXT)
  })
})

describe('an instance that finds a format it cannot read', () => {
  it('tells directory, refuses the call, and changes nothing', async () => {
    const lease = leaseOf('f', NEXT)
    await using store = await cluster.open('f', { lease })
    const docId = await createTable(store, 'T', { A: 'Text' })
    const newer = 'update document_log.head set format = $2 where doc = $1'
    await cluster.query(newer, [docId, NEXT + 1])
    lease.end()
    lease.grant()
    await expect(store.prepare(docId)).rejects.toMatchObject({
      code: 'unavailable',
      reason: 'DOCUMENT_FORMAT_UNREADABLE',
    })
    expect(lease.unreadable.get(docId)).toBe(NEXT + 1)
    await cluster.query(newer, [docId, NEXT])
    await store.prepare(docId)
    await store.transact(docId, author, () => undefined)
  })
})
