import { cp, readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { eventually } from '@sheaf/testkit/eventually'
import { TcpProxy } from '@sheaf/testkit/tcp-proxy'
import type { DocumentStore } from '../../src/store/documents/document-store'
import { Connection } from '../../src/store/sqlite/connections'
import { DocumentFiles } from '../../src/store/sqlite/document-files'
import { addValues, countRows, outcomeOf, readRecords } from '../support/cluster-documents'
import { differences, startCluster, type Cluster } from '../support/replicated-store'
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

/** Milliseconds within which writes are answered while PostgreSQL is away: few, but enough for a busy machine. */
const AWAY_MS = 3_000
/** Less than it takes to give up in another way. */
const BOUND_MS = 15_000

const through = () => ({ url: proxy.through(cluster.url) })

describe('PostgreSQL away', () => {
  it('refuses writes within their time and changes nothing; reads go on; writes come back by themselves', async () => {
    await using store = await cluster.open('a', { ...through(), answerMs: AWAY_MS })
    const docId = await createTable(store, 'T', { A: 'Text' })
    await addValues(store, docId, 'a')
    const before = { text: await readRecords(store, docId), state: store.stateOf(docId) }
    proxy.refuse()
    for (let attempt = 0; attempt < 3; attempt++) {
      const since = performance.now()
      await expect(addValues(store, docId, 'lost')).rejects.toMatchObject({
        code: 'unavailable',
        reason: 'LOG_UNAVAILABLE',
        metadata: { retryAfterMs: '1000' },
      })
      expect(performance.now() - since).toBeLessThan(BOUND_MS)
      expect({ text: await readRecords(store, docId), state: store.stateOf(docId) }).toEqual(before)
    }
    proxy.admit()
    await eventually(() =>
      addValues(store, docId, 'b').then(
        () => true,
        () => false,
      ),
    )
    expect(store.stateOf(docId).seq).toBe(before.state.seq + 1)
    await useFresh('a2', docId, store)
  })

  it('stores a write once whose answer was lost', async () => {
    await using store = await cluster.open('b', through())
    const docId = await createTable(store, 'T', { A: 'Text' })
    await addValues(store, docId, 'a')
    for (const fault of ['cut_after', 'cut_before', 'late'] as const) {
      proxy.failNext(fault)
      await addValues(store, docId, fault)
    }
    expect(await countRows(store, docId)).toBe(4)
    await useFresh('b2', docId, store)
  })

  it('keeps a write whose outcome was never known, if the log has it, and goes on behind it', async () => {
    await using store = await cluster.open('c', { ...through(), answerMs: AWAY_MS })
    const docId = await createTable(store, 'T', { A: 'Text' })
    await addValues(store, docId, 'a')
    // Refusing later would leave time to connect again and to find the record.
    proxy.failNext('gone_after')
    expect(await outcomeOf(addValues(store, docId, 'b'))).toBe('LOG_UNAVAILABLE')
    expect(await countRecords(docId)).toBe(4)
    proxy.admit()
    await eventually(async () => {
      await store.prepare(docId)
      return (await outcomeOf(addValues(store, docId, 'c'))) === 'written'
    })
    const text = await readRecords(store, docId)
    for (const value of ['"a"', '"b"', '"c"']) expect(text.split(value)).toHaveLength(2)
    await useFresh('c2', docId, store)
  })

  it('goes on with the next write when an unknown one is not in the log', async () => {
    await using store = await cluster.open('d', { ...through(), answerMs: AWAY_MS })
    const docId = await createTable(store, 'T', { A: 'Text' })
    await addValues(store, docId, 'a')
    proxy.failNext('hang')
    expect(await outcomeOf(addValues(store, docId, 'b'))).toBe('LOG_UNAVAILABLE')
    await eventually(() =>
      addValues(store, docId, 'c').then(
        () => true,
        () => false,
      ),
    )
    const text = await readRecords(store, docId)
    expect([text.includes('"b"'), text.includes('"c"')]).toEqual([false, true])
    await useFresh('d2', docId, store)
  })
})

/** Another instance makes the document from the log; it must be the same. */
async function useFresh(instance: string, docId: string, store: DocumentStore): Promise<void> {
  await using fresh = await cluster.open(instance)
  expect(await differences(store, fresh, docId)).toEqual([])
}

async function countRecords(docId: string): Promise<number> {
  const [row] = await cluster.query(
    'select count(*)::int as count from document_log.record where doc = $1',
    [docId],
  )
  return Number(row?.count)
}

describe('an instance that another one has replaced', () => {
  it('cannot write any more, and follows the log when it opens the document again', async () => {
    await using zombie = await cluster.open('e')
    const docId = await createTable(zombie, 'T', { A: 'Text' })
    await addValues(zombie, docId, 'a')
    await using owner = await cluster.open('f')
    await owner.prepare(docId)
    await addValues(owner, docId, 'b')
    const late = await Promise.all(
      ['x', 'y', 'z'].map((value) => outcomeOf(addValues(zombie, docId, value))),
    )
    expect(new Set(late)).toEqual(new Set(['DOCUMENT_MOVED']))
    await addValues(owner, docId, 'c')
    await eventually(() => zombie.prepare(docId) !== undefined)
    await zombie.prepare(docId)
    const text = await readRecords(zombie, docId)
    expect(await countRows(zombie, docId)).toBe(3)
    expect(text).not.toMatch(/"[xyz]"/)
  })
})

describe('a transaction that cannot be committed although the log has it', () => {
  it('is answered as written, from a file that was made again', async () => {
    const failed: unknown[] = []
    await using store = await cluster.open('g', {
      onFileError: (error) => failed.push(error),
      // Both writes are in one group, however busy the machine is.
      groupMs: 60_000,
    })
    const docId = await createTable(store, 'T', { A: 'Text' })
    await addValues(store, docId, 'a')
    failCommit()
    const results = await Promise.all([addValues(store, docId, 'b'), addValues(store, docId, 'c')])
    expect(failed).toHaveLength(1)
    expect(results[1]).toBe(store.stateOf(docId).seq)
    await addValues(store, docId, 'd')
    expect(await countRows(store, docId)).toBe(4)
    await useFresh('g2', docId, store)
  })

  it('is not lost when the document is asked for while its file is made again', async () => {
    const failed: unknown[] = []
    await using store = await cluster.open('n', { onFileError: (error) => failed.push(error) })
    const docId = await createTable(store, 'T', { A: 'Text' })
    await addValues(store, docId, 'a')
    const { drop } = DocumentFiles.prototype
    let asked: Promise<void> | undefined
    jest.spyOn(DocumentFiles.prototype, 'drop').mockImplementation(async function (
      this: DocumentFiles,
      id: string,
    ) {
      asked ??= store.prepare(id)
      await waitForDatabase()
      return drop.call(this, id)
    })
    failCommit()
    await addValues(store, docId, 'b')
    await asked
    expect(failed).toHaveLength(1)
    expect(await countRows(store, docId)).toBe(2)
  })
})

/** Waits as long as some statements take in the log database. */
async function waitForDatabase(): Promise<void> {
  for (let count = 0; count < 100; count++) await cluster.query('select')
}

/** Makes the next COMMIT fail as it does on a disk that fails. */
function failCommit(): void {
  const { prepare } = Connection.prototype
  const spy = jest.spyOn(Connection.prototype, 'prepare').mockImplementation(function (
    this: Connection,
    sql: string,
  ) {
    if (sql !== 'COMMIT') return prepare.call(this, sql)
    spy.mockRestore()
    throw new Database.SqliteError('disk I/O error', 'SQLITE_IOERR_FSYNC')
  })
}

describe('a log that lacks what a file has', () => {
  it.each([
    [
      'records',
      (docId: string) => [
        ['delete from document_log.record where doc = $1 and lsn = 3', docId],
        ['update document_log.head set lsn = 2 where doc = $1', docId],
      ],
    ],
    [
      'the whole document',
      (docId: string) => [
        ['delete from document_log.record where doc = $1', docId],
        ['delete from document_log.head where doc = $1', docId],
      ],
    ],
  ] as const)('is refused: %s', async (what, statements) => {
    const instance = `h-${what.length}`
    const before = await cluster.open(instance)
    const docId = await createTable(before, 'T', { A: 'Text' })
    await addValues(before, docId, 'a')
    await before[Symbol.asyncDispose]()
    for (const [statement, id] of statements(docId)) await cluster.query(String(statement), [id])
    await using after = await cluster.open(instance)
    await expect(after.prepare(docId)).rejects.toMatchObject({ reason: 'LOG_BEHIND' })
  })
})

it('a file that goes back behind its log, as after a power failure, is brought up to date', async () => {
  const before = await cluster.open('i')
  const docId = await createTable(before, 'T', { A: 'Text' })
  const folder = join(cluster.dataOf('i'), docId.slice(0, 2), docId)
  await before[Symbol.asyncDispose]()
  await cp(folder, join(cluster.folder, 'old'), { recursive: true })
  const between = await cluster.open('i')
  await between.prepare(docId)
  await addValues(between, docId, 'a')
  await between[Symbol.asyncDispose]()
  await rm(folder, { recursive: true })
  await cp(join(cluster.folder, 'old'), folder, { recursive: true })
  await using after = await cluster.open('i')
  await after.prepare(docId)
  expect(await readRecords(after, docId)).toContain('"a"')
})

it('a file that is damaged is made again', async () => {
  const before = await cluster.open('j')
  const docId = await createTable(before, 'T', { A: 'Text' })
  await addValues(before, docId, 'a')
  await before[Symbol.asyncDispose]()
  const path = join(cluster.dataOf('j'), docId.slice(0, 2), docId, 'document.sqlite')
  await writeFile(path, 'this is no database')
  await using after = await cluster.open('j')
  await after.prepare(docId)
  expect(await readRecords(after, docId)).toContain('"a"')
})

it('a damaged file from before replication is reported as such', async () => {
  const before = await openStore(cluster.dataOf('o'))
  const docId = await createTable(before, 'T', { A: 'Text' })
  await before[Symbol.asyncDispose]()
  const path = join(cluster.dataOf('o'), docId.slice(0, 2), docId, 'document.sqlite')
  await writeFile(path, 'this is no database')
  const failed: unknown[] = []
  await using after = await cluster.open('o', { onFileError: (error) => failed.push(error) })
  await expect(after.prepare(docId)).rejects.toMatchObject({
    code: 'unavailable',
    reason: 'DOCUMENT_DAMAGED',
  })
  expect(failed).toHaveLength(1)
})

it('documents from before replication are taken over as they are', async () => {
  const before = await openStore(cluster.dataOf('k'))
  const docId = await createTable(before, 'T', { A: 'Text' })
  await addValues(before, docId, 'a')
  const state = before.stateOf(docId)
  await before[Symbol.asyncDispose]()
  await using after = await cluster.open('k')
  await after.shared.replicator?.local.adopt(docId)
  await after.prepare(docId)
  expect(after.stateOf(docId)).toEqual(state)
  await addValues(after, docId, 'b')
  await useFresh('k2', docId, after)
})

describe('a long log', () => {
  it('is cut behind a snapshot, from which another instance goes on', async () => {
    await using store = await cluster.open('l')
    const docId = await createTable(store, 'T', { A: 'Text' })
    for (let round = 0; round < 21; round++)
      await Promise.all(
        Array.from({ length: 100 }, (_, index) => addValues(store, docId, `${round}.${index}`)),
      )
    await eventually(async () => (await countRecords(docId)) < 2000)
    await addValues(store, docId, 'last')
    await useFresh('l2', docId, store)
  })

  it('is also cut when it is short and old, once', async () => {
    await using store = await cluster.open('p', { snapshotTimes: { ageMs: 200, lookMs: 20 } })
    const create = async (): Promise<string> => {
      const docId = await createTable(store, 'T', { A: 'Text' })
      await addValues(store, docId, 'a')
      await eventually(async () => (await countRecords(docId)) === 1)
      return docId
    }
    const docId = await create()
    const snapshot = () =>
      cluster.query('select snapshot from document_log.head where doc = $1', [docId])
    const stored = await snapshot()
    await eventually(() => store.shared.replicator?.tail.records === 0)
    // Takes as long as another look at the first document.
    await create()
    expect(await snapshot()).toEqual(stored)
    await useFresh('p2', docId, store)
  })

  it('whose snapshot is damaged makes the document unavailable, and nothing else', async () => {
    const store = await cluster.open('m')
    const source = await createTable(store, 'T', { A: 'Text' })
    const docId = 'd0000000-0000-4000-8000-000000000001'
    const form = { history: false, data: true, whole: true }
    const bytes = store.snapshots.read(source, form, (snapshot) => snapshot.bytes, { userId: 1 })
    await store.lifeCycle.createFromSnapshot(docId, bytes, author)
    await store[Symbol.asyncDispose]()
    await rm(cluster.dataOf('m'), { recursive: true })
    const pieces = join(cluster.folder, 'store', docId.slice(0, 2), docId, 'pieces')
    for (const piece of await readdir(pieces)) await writeFile(join(pieces, piece), 'x')
    await using after = await cluster.open('m')
    await expect(after.prepare(docId)).rejects.toMatchObject({
      code: 'unavailable',
      reason: 'SNAPSHOT_DAMAGED',
    })
    await after.prepare(source)
    expect(await countRows(after, source)).toBe(0)
  })
})
