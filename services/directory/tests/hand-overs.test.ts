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

const report = (name: string, startId = `first-of-${name}`) =>
  directory.reportHome({ name, replicated: true, startId })
const end = (name: string) =>
  directory.query(
    `update directory.homes set lease_until = clock_timestamp() - interval '1 ms' where name = $1`,
    [name],
  )
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
  (await directory.clients.homes.listHomes({}, await directory.system())).homes

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
    expect((await report('a', 'second')).drained).toBe(true)
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
