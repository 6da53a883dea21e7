import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import fs, { mkdir, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { eventually } from '@sheaf/testkit/eventually'
import { tempDir, type TempDir } from '@sheaf/testkit/temp-dir'
import { seqMoment } from '../../src/moments/find-moment'
import { writeUndeleted, type Undeleted } from '../../src/moments/undeleted-file'
import type { DocumentStore, DocumentStoreOptions } from '../../src/store/documents/document-store'
import { readEntries } from '../../src/store/log/log'
import { readOrigins } from '../../src/store/log/origins'
import { addValues, countRows, outcomeOf, readRecords } from '../support/cluster-documents'
import { startCluster, type Cluster } from '../support/replicated-store'
import { buildWorkers, createTable, openStore } from '../support/test-store'

let folder: TempDir
let cluster: Cluster
beforeAll(async () => {
  buildWorkers()
  folder = await tempDir()
  cluster = await startCluster()
})
afterAll(async () => {
  await cluster[Symbol.asyncDispose]()
  await folder[Symbol.asyncDispose]()
})

/** Makes a deleted document again, under a new id, which is returned. */
async function undelete(
  store: DocumentStore,
  docId: string,
  asOf?: Undeleted['asOf'],
): Promise<string> {
  const made = randomUUID()
  await store.lifeCycle.createFrom(made, async (path) => {
    await writeUndeleted(store, path, { docId, asOf })
    return undefined
  })
  await store.prepare(made)
  return made
}

/** Makes a document with a row for each value, each in a change of its own, and deletes it. */
async function createDeleted(store: DocumentStore, ...values: string[]): Promise<string> {
  const docId = await createTable(store, 'T', { A: 'Text' })
  for (const value of values) await addValues(store, docId, value)
  await store.lifeCycle.remove(docId, true)
  return docId
}

const entriesOf = (store: DocumentStore, docId: string) =>
  store.read<string[]>(docId, ({ connection }) =>
    readEntries(connection, { after: 0, upTo: 100, maxBytes: 1e6 }).map(
      ({ seq, time }) => `${seq} ${time}`,
    ),
  )

const GONE = 'DELETED_DOCUMENT_NOT_FOUND'

/** Lets the deletion of a document have been so many days ago. */
interface Mode {
  readonly open: (options?: Partial<DocumentStoreOptions>) => Promise<DocumentStore>
  readonly age: (docId: string, days: number) => Promise<unknown>
}

const local: Mode = {
  open: (options) => openStore(folder.path, { keptDays: 30, workers: 0, ...options }),
  age: (docId, days) => {
    const then = Date.now() / 1000 - days * 24 * 3600
    return utimes(join(folder.path, docId.slice(0, 2), docId, 'deleted'), then, then)
  },
}
const replicated: Mode = {
  open: (options) => cluster.open('a', { keptDays: 30, ...options }),
  age: (docId, days) =>
    cluster.query(
      `update document_log.head set deleted_at = now() - make_interval(days => $2::int) where doc = $1`,
      [docId, days],
    ),
}

describe.each([
  ['without replication', local],
  ['with replication', replicated],
])('a document that was deleted for good, %s', (_, { open, age }) => {
  it('cannot be used, and can be made again with its rows and its history, in a new epoch', async () => {
    await using store = await open()
    const docId = await createTable(store, 'T', { A: 'Text' })
    await addValues(store, docId, 'a', 'b')
    const seen = { text: await readRecords(store, docId), entries: entriesOf(store, docId) }
    const { epoch, seq } = store.stateOf(docId)
    await store.lifeCycle.remove(docId, true)
    const using = outcomeOf(Promise.resolve().then(() => store.prepare(docId)))
    expect([await using, await outcomeOf(addValues(store, docId, 'c'))]).toContain(
      'DOCUMENT_DELETED',
    )
    const made = await undelete(store, docId)
    expect({ text: await readRecords(store, made), entries: entriesOf(store, made) }).toEqual(seen)
    expect(store.stateOf(made).epoch).not.toBe(epoch)
    const origins = store.read<unknown>(made, ({ connection }) => readOrigins(connection))
    expect(origins).toEqual([{ epoch, seq, at: seq }])
    await addValues(store, made, 'c')
    expect(await countRows(store, made)).toBe(3)
  })

  it('can be made again as it was at a former moment, without what came later', async () => {
    await using store = await open()
    const docId = await createDeleted(store, 'a', 'b', 'c')
    const made = await undelete(store, docId, seqMoment(3))
    expect(store.stateOf(made).seq).toBe(3)
    expect(await countRows(store, made)).toBe(1)
    await addValues(store, made, 'd')
    const again = await undelete(store, docId)
    expect(await countRows(store, again)).toBe(3)
  })

  it('is not made again as of a moment that its log does not have', async () => {
    await using store = await open()
    const docId = await createDeleted(store, 'a')
    expect(await outcomeOf(undelete(store, docId, seqMoment(9)))).toBe('MOMENT_NOT_FOUND')
  })

  it('is gone when it was not to be kept, or the store keeps none', async () => {
    await using store = await open()
    const docId = await createTable(store, 'T', { A: 'Text' })
    await store.lifeCycle.remove(docId)
    expect(await outcomeOf(undelete(store, docId))).toBe(GONE)
    expect(await outcomeOf(undelete(store, randomUUID()))).toBe(GONE)
    await store[Symbol.asyncDispose]()
    await using other = await open({ keptDays: 0 })
    expect(await outcomeOf(undelete(other, await createDeleted(other, 'a')))).toBe(GONE)
  })

  it('is gone after the days for which it was kept, whenever it was deleted again', async () => {
    const before = await open()
    const [old, young] = [await createDeleted(before, 'a'), await createDeleted(before, 'b')]
    await age(old, 31)
    await age(young, 29)
    await before.lifeCycle.remove(old, true)
    await before[Symbol.asyncDispose]()
    await using after = await open()
    await eventually(async () => (await outcomeOf(undelete(after, old))) === GONE)
    expect(await countRows(after, await undelete(after, young))).toBe(1)
  })
})

it('files of deleted documents leave a disk that is nearly full, those deleted first', async () => {
  await using own = await tempDir()
  await using store = await openStore(own.path, { keptDays: 30, workers: 0 })
  const docIds = [await createDeleted(store, 'a'), await createDeleted(store, 'b')]
  const isKept = () => docIds.map((docId) => store.files.kept.find(docId) !== undefined)
  expect(isKept()).toEqual([true, true])
  // Bytes until one file has gone.
  const lacking = jest.spyOn(store.files, 'lackingBytes')
  lacking.mockImplementation(() => Promise.resolve(isKept()[0] ? 1 : 0))
  await eventually(() => {
    store.lifeCycle.kept.look()
    return Promise.resolve(isKept()[0] === false)
  })
  expect(isKept()).toEqual([false, true])
  lacking.mockRestore()
})

it('files of deleted documents are looked at once, not whenever another one is removed, and whatever lies beside them', async () => {
  await using own = await tempDir()
  const before = await openStore(own.path, { keptDays: 30, workers: 0 })
  const docIds = [await createDeleted(before, 'a'), await createDeleted(before, 'b')]
  await before[Symbol.asyncDispose]()
  await mkdir(join(own.path, 'kept', 'lost+found'))
  const listed = jest.spyOn(fs, 'readdir')
  const countLooks = () =>
    listed.mock.calls.filter(([path]) => path === join(own.path, 'kept')).length
  await using store = await openStore(own.path, { keptDays: 30, workers: 0 })
  await eventually(() => countLooks() === 1)
  docIds.push(await createDeleted(store, 'c'), await createDeleted(store, 'd'))
  expect(countLooks()).toBe(1)
  // Those that were deleted later are found as well.
  const lacking = jest.spyOn(store.files, 'lackingBytes').mockResolvedValue(1)
  await eventually(() => {
    store.lifeCycle.kept.look()
    return docIds.every((docId) => store.files.kept.find(docId) === undefined)
  })
  expect(countLooks()).toBe(2)
  for (const spy of [lacking, listed]) spy.mockRestore()
  expect(existsSync(join(own.path, 'kept', 'lost+found'))).toBe(true)
})

describe('a replicated document that was deleted for good', () => {
  it('is kept in its file as well when the log is an older one that was restored', async () => {
    await using store = await replicated.open()
    const docId = await createTable(store, 'T', { A: 'Text' })
    for (const value of ['in the log', 'in the file']) await addValues(store, docId, value)
    const older = `with r as (delete from document_log.record where doc = $1 and lsn = (
        select lsn from document_log.head where doc = $1))
      update document_log.head set lsn = lsn - 1 where doc = $1`
    await cluster.query(older, [docId])
    await store.lifeCycle.remove(docId, true)
    // As when the answer was lost.
    await store.lifeCycle.remove(docId, true)
    expect(await countRows(store, await undelete(store, docId))).toBe(2)
    const logged = await createDeleted(store, 'a')
    expect(store.files.kept.find(logged)).toBeUndefined()
  })

  it('can be made again by an instance that never had it, from a snapshot and the log', async () => {
    await using one = await cluster.open('b', { keptDays: 30 })
    // It begins with a snapshot.
    const docId = await undelete(one, await createDeleted(one, 'a'))
    await addValues(one, docId, 'b')
    await one.lifeCycle.remove(docId, true)
    await using other = await cluster.open('c', { keptDays: 30 })
    const made = await undelete(other, docId)
    expect(await countRows(other, made)).toBe(2)
  })

  it('can be made again when it was deleted before the instance was replicated', async () => {
    const before = await openStore(cluster.dataOf('d'), { keptDays: 30, workers: 0 })
    const docId = await createDeleted(before, 'a')
    await before[Symbol.asyncDispose]()
    await using after = await cluster.open('d', { keptDays: 30 })
    expect(await countRows(after, await undelete(after, docId))).toBe(1)
  })

  it('leaves nothing in the log and the store once it is not kept any more', async () => {
    const before = await replicated.open()
    const docId = await undelete(before, await createDeleted(before, 'a'))
    await addValues(before, docId, 'b')
    await before.lifeCycle.remove(docId, true)
    await replicated.age(docId, 31)
    await before[Symbol.asyncDispose]()
    const after = await replicated.open()
    const headOf = () =>
      cluster.query(
        'select snapshot, deleted_at, collected from document_log.head where doc = $1',
        [docId],
      )
    const gone = { snapshot: null, deleted_at: null, collected: true }
    await eventually(async () => isDeepStrictEqual(await headOf(), [gone]))
    const records = 'select from document_log.record where doc = $1'
    expect(await cluster.query(records, [docId])).toEqual([])
    const stored = join(cluster.folder, 'store', docId.slice(0, 2), docId)
    expect(existsSync(stored)).toBe(false)
    await after[Symbol.asyncDispose]()
  })
})
