import { randomUUID } from 'node:crypto'
import type { HandOverHomeDocumentsRequest } from '@sheaf/protos/sheaf/directory/v1/homes'
import { TestDirectory, type TestUser } from './test-directory'

let directory: TestDirectory
let alice: TestUser
let workspace: number

beforeAll(async () => {
  directory = await TestDirectory.start()
  alice = await directory.addUser('alice')
  workspace = await directory.createWorkspace(alice, 'docs')
})
afterEach(() => directory.query('delete from directory.homes; delete from directory.documents'))
afterAll(() => directory[Symbol.asyncDispose]())

const report = (name: string, change: { readonly startId?: string } = {}) =>
  directory.reportReplicated(name, change)
const end = (name: string) => directory.endLease(name)
/** Documents of the instance `a`. */
async function createOnA(count = 1): Promise<string[]> {
  await report('a')
  const docIds: string[] = []
  for (let made = 0; made < count; made++)
    docIds.push(await directory.createDocument(alice, workspace))
  return docIds
}
const handOver = async (docIds: string[], change: Partial<HandOverHomeDocumentsRequest> = {}) => {
  const request = { home: 'a', startId: 'first-of-a', docIds, to: '', ...change }
  const call = await directory.system()
  return (await directory.clients.homes.handOverHomeDocuments(request, call)).documents
}
const locate = async (docId: string) => {
  const call = await directory.system()
  const { home, assignment } = await directory.clients.homes.assignHomeDocument({ docId }, call)
  return { home, assignment }
}
const drain = async (name: string, drained = true) =>
  directory.clients.homes.drainHome({ name, drained }, await directory.system())
const list = async () =>
  (await directory.clients.homes.listHomes({ withDocuments: true }, await directory.system())).homes

describe('an instance that hands documents over', () => {
  it('names the instance that gets them, and no document of others', async () => {
    const [docId = '', kept = ''] = await createOnA(2)
    await report('b')
    await report('c')
    expect(await handOver([docId, randomUUID()], { to: 'c' })).toEqual([
      { docId, home: 'c', homeAddress: 'c.test:8486' },
    ])
    expect(await locate(docId)).toEqual({ home: 'c', assignment: 1 })
    expect(await locate(kept)).toEqual({ home: 'a', assignment: 0 })
    expect(await handOver([docId], { to: 'b' })).toEqual([])
    expect(await locate(docId)).toEqual({ home: 'c', assignment: 1 })
  })

  it('spreads them over the live ones that are not drained, unless it names one', async () => {
    const docIds = await createOnA(20)
    for (const name of ['b', 'c', 'drained', 'ended']) await report(name)
    await directory.reportHome({ name: 'local' })
    await drain('drained')
    await end('ended')
    const handed = await handOver(docIds)
    expect(handed).toHaveLength(20)
    expect(new Set(handed.map(({ home }) => home))).toEqual(new Set(['b', 'c']))
  })

  it.each([
    ['an instance without a lease', 'ended'],
    ['an instance without replication', 'local'],
    ['itself', 'a'],
  ])('keeps them instead of giving them to %s', async (_, to) => {
    const docIds = await createOnA()
    await report('ended')
    await end('ended')
    await directory.reportHome({ name: 'local', freeBytes: 1 })
    expect(await handOver(docIds, { to })).toEqual([])
    expect(await locate(docIds[0] ?? '')).toEqual({ home: 'a', assignment: 0 })
  })

  it('must be the process that has the lease, since another one does not know what is in use', async () => {
    const docIds = await createOnA()
    await report('b')
    expect(await handOver(docIds, { startId: 'second' })).toEqual([])
    await end('a')
    expect(await handOver(docIds)).toEqual([])
  })

  it('is told what is wrong', async () => {
    const docIds = await createOnA()
    await expect(handOver(docIds, { to: 'nobody' })).rejects.toMatchObject({
      code: 'not_found',
      reason: 'INSTANCE_NOT_FOUND',
    })
    const wrong = { code: 'invalid', metadata: { field: 'doc_ids' } }
    await expect(handOver(['1'])).rejects.toMatchObject(wrong)
    await expect(handOver(Array.from({ length: 1001 }, () => randomUUID()))).rejects.toMatchObject(
      wrong,
    )
    const asUser = await directory.as(alice)
    const { homes } = directory.clients
    const request = { home: 'a', startId: 'first-of-a', docIds, to: '' }
    await expect(homes.handOverHomeDocuments(request, asUser)).rejects.toMatchObject({
      code: 'forbidden',
    })
    await expect(homes.drainHome({ name: 'a', drained: true }, asUser)).rejects.toMatchObject({
      code: 'forbidden',
    })
  })
})

describe('an instance that is drained', () => {
  it('learns it with its report, and that it is over', async () => {
    await createOnA(3)
    expect((await report('b')).drained).toBe(false)
    await drain('a')
    expect((await report('a')).drained).toBe(true)
    expect((await report('b')).drained).toBe(false)
    expect(await list()).toMatchObject([
      { name: 'a', replicated: true, live: true, drained: true, documents: 3 },
      { name: 'b', replicated: true, live: true, drained: false, documents: 0 },
    ])
    await drain('a', false)
    expect((await report('a')).drained).toBe(false)
  })

  it('stays so when its process is another one', async () => {
    await createOnA()
    await report('b')
    await drain('a')
    await end('a')
    expect((await report('a', { startId: 'second' })).drained).toBe(true)
  })

  it('gets neither new documents nor those of an instance that ended, while there is another one', async () => {
    await createOnA()
    await report('b')
    await report('c')
    await directory.query(`update directory.homes set free_bytes = 9000 where name = 'b'`)
    await drain('b')
    for (let count = 0; count < 5; count++) {
      const docId = await directory.createDocument(alice, workspace)
      expect((await locate(docId)).home).not.toBe('b')
    }
    await end('a')
    const rows = await directory.query(`select doc_id from directory.documents where home = 'a'`)
    for (const { doc_id: docId } of rows.rows as { doc_id: string }[])
      expect(await locate(docId)).toEqual({ home: 'c', assignment: 1 })
  })

  it('gets new documents when the others are not live', async () => {
    await createOnA()
    await report('b')
    await drain('b')
    await end('a')
    const docId = await directory.createDocument(alice, workspace)
    expect((await locate(docId)).home).toBe('b')
  })

  it('serves documents of an instance that ended when there is no other one', async () => {
    const [docId = ''] = await createOnA()
    await report('b')
    await drain('b')
    await end('a')
    expect(await locate(docId)).toEqual({ home: 'b', assignment: 1 })
  })

  it.each([
    ['nobody', 'INSTANCE_NOT_FOUND'],
    ['local', 'NOT_REPLICATED'],
    ['a', 'NO_OTHER_INSTANCE'],
  ])('is not %s: %s', async (name, reason) => {
    await createOnA()
    await report('ended')
    await end('ended')
    await directory.reportHome({ name: 'local' })
    await expect(drain(name)).rejects.toMatchObject({ reason })
    expect((await list()).some(({ drained }) => drained)).toBe(false)
  })
})

describe('an instance that has more documents than others', () => {
  const balance = async (home: string, change: { startId?: string; load?: number } = {}) =>
    directory.clients.homes.balanceHome(
      { home, startId: `first-of-${home}`, load: 0, ...change },
      await directory.system(),
    )
  const nothing = { to: '', documents: 0, loadShare: 0 }

  it('is told to hand its surplus to a new one, which is neither drained nor without a lease', async () => {
    await createOnA(7)
    for (const name of ['b', 'drained', 'ended']) await report(name)
    await directory.reportHome({ name: 'local' })
    await drain('drained')
    await end('ended')
    expect(await balance('a')).toEqual({ to: 'b', documents: 3, loadShare: 0 })
    expect(await balance('b')).toEqual(nothing)
    expect(await balance('drained')).toEqual(nothing)
    expect(await balance('a', { startId: 'second' })).toEqual(nothing)
  })

  it('is told to hand over load when it is busier than others', async () => {
    await report('a')
    await report('b')
    expect(await balance('b', { load: 0.1 })).toEqual(nothing)
    const { to, loadShare } = await balance('a', { load: 0.9 })
    expect([to, loadShare]).toEqual(['b', expect.closeTo(0.4 / 0.9)])
    expect(await balance('b', { load: 0.8 })).toEqual(nothing)
    expect(await balance('a', { load: 0.9 })).toEqual(nothing)
  })

  it.each([NaN, -0.1, 1.1])('is refused a load of %s', async (load) => {
    await expect(balance('a', { load })).rejects.toMatchObject({
      code: 'invalid',
      metadata: { field: 'load' },
    })
  })
})
