import { createLogger } from '@sheaf/kit/logger'
import { openDatabase } from '@sheaf/kit/postgres/database'
import { eventually } from '@sheaf/testkit/eventually'
import { Client } from 'pg'
import { findAssignment } from '../src/db/assignments'
import type { DirectorySchema } from '../src/db/schema'
import { HomeAssigner } from '../src/leases/home-assigner'
import { TestDirectory, type Clients, type TestUser } from './test-directory'

describe('leases of replicated instances', () => {
  let directory: TestDirectory
  let other: Clients
  let alice: TestUser
  let workspace: number
  beforeAll(async () => {
    directory = await TestDirectory.start()
    other = await directory.startInstance()
    alice = await directory.addUser('alice')
    workspace = await directory.createWorkspace(alice, 'docs')
  })
  afterEach(() => directory.query('delete from directory.homes; delete from directory.documents'))
  afterAll(() => directory[Symbol.asyncDispose]())

  const report = (
    name: string,
    change: { startId?: string; released?: boolean; timeMs?: number } = {},
  ) => directory.reportReplicated(name, change)
  const end = (name: string) => directory.endLease(name)
  /** A published document on an instance that has a lease. */
  const createOn = async (home: string) => {
    await report(home)
    await directory.query('update directory.homes set free_bytes = 9000 where name = $1', [home])
    const docId = await directory.createDocument(alice, workspace)
    await directory.query('update directory.homes set free_bytes = 1000 where name = $1', [home])
    return docId
  }
  const locate = async (docId: string) => {
    const { document } = await directory.resolve(alice, { document: docId })
    return { home: document?.home, assignment: document?.assignment }
  }
  const assign = async (docId: string, clients: Clients = directory.clients) =>
    clients.homes.assignHomeDocument({ docId }, await directory.system())

  it('are granted to one process of a name at a time', async () => {
    expect((await report('a')).leaseMs).toBe(2_000)
    expect((await report('a', { startId: 'second' })).leaseMs).toBe(0)
    expect((await report('a')).leaseMs).toBe(2_000)
    await end('a')
    expect((await report('a', { startId: 'second' })).leaseMs).toBe(2_000)
    expect((await report('a')).leaseMs).toBe(0)
  })

  it('end when they are not renewed, and at once when they are released', async () => {
    await report('a')
    await report('a', { startId: 'second', released: true })
    expect((await report('a', { startId: 'second' })).leaseMs).toBe(0)
    await report('a', { released: true })
    const second = { name: 'a', replicated: true, startId: 'second' }
    expect((await directory.sendReport(second)).leaseMs).toBe(2_000)
    await eventually(async () => (await report('a', { startId: 'third' })).leaseMs > 0)
  })

  it('are not renewed for an instance whose clock is wrong, which may only release its own', async () => {
    const wrong = { code: 'precondition', reason: 'CLOCK_DIFFERS' }
    expect((await report('a')).leaseMs).toBe(2_000)
    for (const differenceMs of [3_600_000, 7_000, -7_000]) {
      const timeMs = Date.now() + differenceMs
      await expect(report('a', { timeMs })).rejects.toMatchObject(wrong)
      await expect(report('new', { timeMs })).rejects.toMatchObject(wrong)
    }
    expect((await report('a', { timeMs: Date.now() - 2_000 })).leaseMs).toBe(2_000)
    await report('a', { timeMs: Date.now() + 3_600_000, released: true })
    expect((await report('a', { startId: 'second' })).leaseMs).toBe(2_000)
  })

  it('are for replicated instances alone', async () => {
    const answer = await directory.reportHome({ name: 'local' })
    expect(answer).toEqual({ leaseMs: 0, endedHomes: [], drained: false, writeFormat: 0 })
  })

  it('keep the documents where they are while they last', async () => {
    const docId = await createOn('a')
    await report('b')
    expect(await locate(docId)).toEqual({ home: 'a', assignment: 0 })
    expect(await assign(docId)).toMatchObject({ home: 'a', assignment: 0 })
  })

  it('that ended hand each document to a live instance when it is asked for', async () => {
    const docId = await createOn('a')
    const unused = await createOn('a')
    await report('b')
    await end('a')
    const { accessVersion } = await directory.resolve(alice)
    expect(await locate(docId)).toEqual({ home: 'b', assignment: 1 })
    expect(await assign(docId, other)).toEqual({
      home: 'b',
      homeAddress: 'b.test:8486',
      assignment: 1,
      format: 0,
      writeFormat: 0,
      pinned: false,
    })
    // Gateways need not forget what they know of other documents.
    expect((await directory.resolve(alice)).accessVersion).toBe(accessVersion)
    await report('a')
    expect(await locate(unused)).toEqual({ home: 'a', assignment: 0 })
    expect(await locate(docId)).toEqual({ home: 'b', assignment: 1 })
  })

  it('spread the documents of an instance over all that are live', async () => {
    const docIds: string[] = []
    for (let count = 0; count < 20; count++) docIds.push(await createOn('a'))
    await report('b')
    await report('c')
    await end('a')
    const homes = await Promise.all(docIds.map((docId) => locate(docId)))
    expect(new Set(homes.map(({ home }) => home))).toEqual(new Set(['b', 'c']))
  })

  it('that ended leave the documents unavailable while no other instance is live', async () => {
    const docId = await createOn('a')
    await end('a')
    await directory.reportHome({ name: 'local' })
    const refusal = {
      code: 'unavailable',
      reason: 'HOME_UNAVAILABLE',
      metadata: { retryAfterMs: '1000' },
    }
    await expect(locate(docId)).rejects.toMatchObject(refusal)
    await expect(assign(docId)).rejects.toMatchObject(refusal)
    await report('a')
    expect(await locate(docId)).toEqual({ home: 'a', assignment: 0 })
  })

  it('never take the documents of an instance without replication away', async () => {
    await directory.reportHome({ name: 'local', freeBytes: 9000 })
    const docId = await directory.createDocument(alice, workspace)
    await report('b')
    await directory.query(
      `update directory.homes set reported_at = now() - interval '1 day' where name = 'local'`,
    )
    expect(await locate(docId)).toEqual({ home: 'local', assignment: 0 })
    expect(await assign(docId)).toMatchObject({ home: 'local' })
  })

  it('move documents, which are counted once, wherever they are asked for', async () => {
    const docId = await createOn('a')
    await report('b')
    const url = directory.config.databaseUrl
    const log = createLogger('test')
    const db = openDatabase<DirectorySchema>({ url, schema: 'directory', log })
    try {
      const assigners = [new HomeAssigner(db), new HomeAssigner(db)]
      const assignAll = async () => {
        const known = await findAssignment(db, docId)
        await Promise.all(assigners.map((assigner) => assigner.assign(docId, known)))
        return assigners.reduce((sum, { reassigned }) => sum + reassigned, 0)
      }
      expect(await assignAll()).toBe(0)
      await end('a')
      expect(await assignAll()).toBe(1)
      expect(await assignAll()).toBe(1)
    } finally {
      await db.destroy()
    }
  })

  it('move a document once, however many ask at both directories', async () => {
    const docId = await createOn('a')
    for (let round = 1; round <= 5; round++) {
      const { home } = await assign(docId)
      await report('b')
      await report('c')
      await report('a')
      await end(home)
      const found = await Promise.all(
        Array.from({ length: 20 }, (_, index) =>
          assign(docId, index % 2 === 0 ? other : directory.clients),
        ),
      )
      expect(new Set(found.map((answer) => JSON.stringify(answer)))).toHaveProperty('size', 1)
      expect(found[0]?.assignment).toBe(round)
      expect(found[0]?.home).not.toBe(home)
    }
  })

  it('that are being granted again keep their documents', async () => {
    const docId = await createOn('a')
    await report('b')
    await end('a')
    const renewing = new Client({ connectionString: directory.config.databaseUrl })
    await renewing.connect()
    try {
      await renewing.query('begin')
      await renewing.query(
        `update directory.homes set lease_until = now() + interval '1 minute' where name = 'a'`,
      )
      const assigning = assign(docId)
      const isWaiting = eventually(async () => {
        const { rows } = await directory.query(
          `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
        )
        return rows.length > 0
      })
      await Promise.race([isWaiting, assigning])
      await renewing.query('commit')
      expect(await assigning).toMatchObject({ home: 'a', assignment: 0 })
    } finally {
      await renewing.end()
    }
  })

  it('that are granted again while a document is assigned keep it or have lost it, for everybody alike', async () => {
    const docIds: string[] = []
    for (let count = 0; count < 30; count++) docIds.push(await createOn('a'))
    await report('b')
    await end('a')
    const assigning = docIds.map((docId, index) =>
      assign(docId, index % 2 === 0 ? other : directory.clients),
    )
    const { leaseMs } = await report('a')
    expect(leaseMs).toBe(2_000)
    const renewing = setInterval(() => void Promise.all([report('a'), report('b')]), 500)
    // What the instance is told with its lease stays true as long as it lasts.
    const told = await Promise.all(docIds.map((docId) => assign(docId)))
    await Promise.all(assigning)
    const later = await Promise.all(docIds.map((docId) => assign(docId)))
    clearInterval(renewing)
    expect(later).toEqual(told)
  })

  it('place new documents with live instances only', async () => {
    await report('a')
    await directory.query('update directory.homes set free_bytes = 9000')
    await report('b')
    await end('a')
    const docId = await directory.createDocument(alice, workspace)
    expect(await locate(docId)).toMatchObject({ home: 'b' })
  })

  it('that ended are told to the other instances, and to all gateways once', async () => {
    const call = await directory.system()
    const heard: string[][] = [[], []]
    const stop = new AbortController()
    const listening = [directory.clients, other].map(async ({ access }, index) => {
      const requests = (async function* () {
        yield { holderId: `gateway-${index}`, droppedVersion: 0 }
        await new Promise((resolve) => stop.signal.addEventListener('abort', resolve))
      })()
      const answers = access.holdLease(requests, { ...call, signal: stop.signal })
      // Leases of other tests end as well.
      for await (const { endedHomeAddresses } of answers)
        heard[index]?.push(...endedHomeAddresses.filter((address) => address === 'gone.test:8486'))
    })
    await report('gone')
    await end('gone')
    await eventually(async () => {
      await report('b')
      return heard.every((addresses) => addresses.length > 0)
    })
    await eventually(async () => (await report('b')).endedHomes.includes('gone'))
    expect(heard).toEqual([['gone.test:8486'], ['gone.test:8486']])
    await report('gone')
    await eventually(async () => (await report('b')).endedHomes.length === 0)
    stop.abort()
    await Promise.allSettled(listening)
  })

  it('let instances find documents by their UUID alone', async () => {
    for (const docId of ['1', '', 'd0000000-0000-4000-8000-000000000001'])
      await expect(assign(docId)).rejects.toMatchObject({ code: 'not_found' })
    await expect(
      directory.clients.homes.assignHomeDocument({ docId: '1' }, await directory.as(alice)),
    ).rejects.toMatchObject({ code: 'forbidden' })
  })
})
