import type { ReportHomeRequest } from '@sheaf/protos/sheaf/directory/v1/homes'
import { TestDirectory, type TestUser } from './test-directory'

describe('the format of a document', () => {
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

  const OLD = { formatMin: 13, formatMax: 13 }
  const NEXT = { formatMin: 13, formatMax: 14 }
  const report = (name: string, change: Partial<ReportHomeRequest>) =>
    directory.reportReplicated(name, change)
  /** Lets the lease of an instance have ended so many seconds ago. */
  const endedAgo = (name: string, seconds: number) =>
    directory.query(
      `update directory.homes set lease_until = clock_timestamp() - make_interval(secs => $2) where name = $1`,
      [name, seconds],
    )
  const assign = async (docId: string, change: { home?: string; unreadableFormat?: number } = {}) =>
    directory.clients.homes.assignHomeDocument({ docId, ...change }, await directory.system())
  /** A document on an instance, which has brought it to the newest format that is allowed. */
  const createOn = async (home: string, formats: Partial<ReportHomeRequest>) => {
    await report(home, formats)
    await directory.query('update directory.homes set free_bytes = 9000 where name = $1', [home])
    const docId = await directory.createDocument(alice, workspace)
    await directory.query('update directory.homes set free_bytes = 1000 where name = $1', [home])
    await assign(docId, { home })
    return docId
  }

  it('may be the newest that all instances read which are live, or were within 30 s', async () => {
    await report('next', NEXT)
    expect(await report('next', NEXT)).toMatchObject({ writeFormat: 14 })
    await report('old', OLD)
    expect(await report('next', NEXT)).toMatchObject({ writeFormat: 13 })
    await endedAgo('old', 25)
    expect(await report('next', NEXT)).toMatchObject({ writeFormat: 13 })
    await endedAgo('old', 31)
    expect(await report('next', NEXT)).toMatchObject({ writeFormat: 14 })
    await report('unknown', {})
    expect(await report('next', NEXT)).toMatchObject({ writeFormat: 0 })
  })

  it('is raised when its instance is about to use it, and by nobody else', async () => {
    await report('old', OLD)
    const docId = await createOn('next', NEXT)
    expect(await assign(docId)).toMatchObject({ home: 'next', format: 13, writeFormat: 13 })
    await endedAgo('old', 31)
    expect(await assign(docId)).toMatchObject({ format: 13, writeFormat: 14 })
    expect(await assign(docId, { home: 'old' })).toMatchObject({ format: 13, writeFormat: 14 })
    expect(await assign(docId, { home: 'next' })).toMatchObject({ format: 14, writeFormat: 14 })
    await report('old', OLD)
    expect(await assign(docId)).toMatchObject({ home: 'next', format: 14, writeFormat: 13 })
  })

  it('keeps it from instances that cannot read it when its own one fails', async () => {
    const docId = await createOn('next', NEXT)
    await report('old', OLD)
    await directory.endLease('next')
    await expect(assign(docId)).rejects.toMatchObject({ reason: 'HOME_UNAVAILABLE' })
    await report('second', NEXT)
    expect(await assign(docId)).toMatchObject({ home: 'second', assignment: 1 })
  })

  it('takes it from an instance that comes back with a release that cannot read it', async () => {
    const docId = await createOn('next', NEXT)
    await report('second', NEXT)
    await directory.endLease('next')
    await report('next', { ...OLD, startId: 'of-the-old-release' })
    const { document } = await directory.resolve(alice, { document: docId })
    expect(document).toMatchObject({ home: 'second', assignment: 1 })
  })

  it('takes it from an instance that comes back with a release that does not use it any more, and may not migrate it', async () => {
    const docId = await createOn('own', OLD)
    await report('second', OLD)
    await directory.endLease('own')
    await report('own', { formatMin: 14, formatMax: 14, startId: 'of-the-release-after' })
    expect(await assign(docId, { home: 'own' })).toMatchObject({ home: 'second', format: 13 })
    const { document } = await directory.resolve(alice, { document: docId })
    expect(document).toMatchObject({ home: 'second', assignment: 1 })
  })

  it('leaves it to an instance that may migrate it', async () => {
    const docId = await createOn('own', OLD)
    await directory.endLease('own')
    await report('own', { formatMin: 14, formatMax: 14, startId: 'of-the-release-after' })
    const { document } = await directory.resolve(alice, { document: docId })
    expect(document).toMatchObject({ home: 'own', assignment: 0 })
    expect(await assign(docId, { home: 'own' })).toMatchObject({ home: 'own', format: 14 })
  })

  it('is learnt from an instance that has found that it cannot read it', async () => {
    const docId = await createOn('old', OLD)
    await report('next', NEXT)
    expect(await assign(docId, { home: 'next', unreadableFormat: 14 })).toMatchObject({
      home: 'old',
      format: 13,
    })
    expect(await assign(docId, { home: 'old', unreadableFormat: 14 })).toMatchObject({
      home: 'next',
      format: 14,
    })
  })

  it('keeps it from instances that cannot read it when it is moved, drained or balanced', async () => {
    const docId = await createOn('next', NEXT)
    await report('old', OLD)
    const call = await directory.system()
    const handOver = (to: string) =>
      directory.clients.homes.handOverHomeDocuments(
        { home: 'next', startId: 'first-of-next', docIds: [docId], to },
        call,
      )
    await expect(handOver('old')).rejects.toMatchObject({
      code: 'precondition',
      reason: 'INSTANCE_TOO_OLD',
      message: `old is of an older release, which cannot read the format of document ${docId}`,
    })
    expect((await handOver('')).documents).toEqual([])
    const drain = () => directory.clients.homes.drainHome({ name: 'next', drained: true }, call)
    await expect(drain()).rejects.toMatchObject({ reason: 'NO_OTHER_INSTANCE' })
    for (let made = 0; made < 9; made++) await createOn('next', NEXT)
    const balance = { home: 'next', startId: 'first-of-next', load: 0 }
    expect((await directory.clients.homes.balanceHome(balance, call)).to).toBe('')
    await report('second', NEXT)
    expect((await directory.clients.homes.balanceHome(balance, call)).to).toBe('second')
    expect((await handOver('')).documents).toMatchObject([{ docId, home: 'second' }])
    await drain()
  })

  it('is shown with those that each instance can use', async () => {
    await report('next', NEXT)
    const { homes } = await directory.clients.homes.listHomes(
      { withDocuments: false },
      await directory.system(),
    )
    expect(homes).toMatchObject([{ name: 'next', ...NEXT }])
  })
})
