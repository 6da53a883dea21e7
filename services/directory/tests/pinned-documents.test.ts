import { Pin, type Home } from '@sheaf/protos/sheaf/directory/v1/homes'
import { BackupServiceClientImpl } from '@sheaf/protos/sheaf/directory/v1/backup'
import { TestDirectory, type TestUser } from './test-directory'

describe('documents on the disk of their instance alone', () => {
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

  const assign = async (docId: string) =>
    directory.clients.homes.assignHomeDocument({ docId }, await directory.system())
  const pin = async (home: string, docIds: string[], to: Pin, startId = `first-of-${home}`) =>
    directory.clients.homes.pinHomeDocuments(
      { home, startId, docIds, pin: to },
      await directory.system(),
    )
  const list = async (home: string, pinnedOnly: boolean) => {
    const request = { home, afterId: 0, pinnedOnly }
    const answer = await directory.clients.homes.listHomeDocuments(
      request,
      await directory.system(),
    )
    return answer.documents.map((document) => [document.docId, document.pin])
  }
  const homeOf = async (name: string): Promise<Home | undefined> => {
    const call = await directory.system()
    const { homes } = await directory.clients.homes.listHomes({ withDocuments: true }, call)
    return homes.find((home) => home.name === name)
  }
  /** A document that an instance wrote before it was replicated. */
  const createLocal = async (home: string) => {
    await directory.reportHome({ name: home })
    return directory.createDocument(alice, workspace)
  }

  it('are pinned to it with its first lease, and those that come later are not', async () => {
    const before = await createLocal('a')
    await directory.reportReplicated('a')
    const after = await directory.createDocument(alice, workspace)
    expect(await list('a', false)).toEqual([
      [before, Pin.WAITING],
      [after, Pin.UNSPECIFIED],
    ])
    expect(await list('a', true)).toEqual([[before, Pin.WAITING]])
    expect(await homeOf('a')).toMatchObject({ documents: 2, pinned: 1 })
    // Neither with a further lease nor by another process.
    await pin('a', [before], Pin.UNSPECIFIED)
    await directory.reportReplicated('a', { released: true })
    await directory.reportReplicated('a', { startId: 'second' })
    expect(await list('a', true)).toEqual([])
  })

  it('are assigned to no other instance, whatever happens to theirs, until they are not pinned', async () => {
    const docId = await createLocal('a')
    await directory.reportReplicated('a')
    await directory.reportReplicated('b')
    const handOver = async () => {
      const request = { home: 'a', startId: 'first-of-a', docIds: [docId], to: 'b' }
      const call = await directory.system()
      return directory.clients.homes.handOverHomeDocuments(request, call)
    }
    expect((await handOver()).documents).toEqual([])
    await directory.endLease('a')
    const unavailable = { code: 'unavailable', reason: 'HOME_UNAVAILABLE' }
    await expect(assign(docId)).rejects.toMatchObject(unavailable)
    await expect(directory.resolve(alice, { document: docId })).rejects.toMatchObject(unavailable)
    await directory.reportReplicated('a')
    expect(await assign(docId)).toMatchObject({ home: 'a', assignment: 0, pinned: true })
    expect((await pin('a', [docId], Pin.UNSPECIFIED)).docIds).toEqual([docId])
    await directory.endLease('a')
    expect(await assign(docId)).toMatchObject({ home: 'b', assignment: 1, pinned: false })
  })

  it('are released by another instance, which has found them in their log, while theirs is away', async () => {
    const docId = await createLocal('a')
    await directory.reportReplicated('a')
    await directory.reportReplicated('b')
    await directory.endLease('a')
    expect((await pin('b', [docId], Pin.UNSPECIFIED, '')).docIds).toEqual([])
    expect((await pin('a', [docId], Pin.UNSPECIFIED, '')).docIds).toEqual([docId])
    expect(await assign(docId)).toMatchObject({ home: 'b', assignment: 1 })
  })

  it('are told from those that an operator has released from replication', async () => {
    const waiting = await createLocal('a')
    const released = await createLocal('a')
    await directory.reportReplicated('a')
    expect((await pin('a', [released], Pin.LOCAL)).docIds).toEqual([released])
    expect(await list('a', true)).toEqual([
      [waiting, Pin.WAITING],
      [released, Pin.LOCAL],
    ])
    for (const [wanted, docId] of [
      [Pin.WAITING, waiting],
      [Pin.LOCAL, released],
    ] as const) {
      const request = { home: 'a', afterId: 0, pinnedOnly: true, pin: wanted }
      const { documents } = await directory.clients.homes.listHomeDocuments(
        request,
        await directory.system(),
      )
      expect(documents.map((document) => document.docId)).toEqual([docId])
    }
    expect(await homeOf('a')).toMatchObject({ documents: 2, pinned: 2, local: 1 })
    await directory.endLease('a')
    await expect(assign(released)).rejects.toMatchObject({ reason: 'HOME_UNAVAILABLE' })
    // Without replication in between, its files may have changed.
    await directory.reportHome({ name: 'a' })
    await directory.reportReplicated('a')
    expect(await homeOf('a')).toMatchObject({ pinned: 2, local: 0 })
  })

  it('are returned to it by the instance that they were assigned to, and pinned', async () => {
    const docId = await createLocal('a')
    await directory.reportReplicated('a')
    await pin('a', [docId], Pin.UNSPECIFIED, '')
    await directory.endLease('a')
    await directory.reportReplicated('b')
    expect(await assign(docId)).toMatchObject({ home: 'b', assignment: 1 })
    const found = async (home: string, localHome: string) =>
      directory.clients.homes.assignHomeDocument(
        { docId, home, localHome },
        await directory.system(),
      )
    // Neither by another instance nor to an unknown one.
    expect(await found('c', 'a')).toMatchObject({ home: 'b' })
    expect(await found('b', 'unknown')).toMatchObject({ home: 'b', pinned: false })
    await expect(found('b', 'a')).rejects.toMatchObject({ reason: 'HOME_UNAVAILABLE' })
    await directory.reportReplicated('a')
    expect(await assign(docId)).toMatchObject({ home: 'a', assignment: 2, pinned: true })
    expect(await list('a', true)).toEqual([[docId, Pin.WAITING]])
  })

  it('are not pinned when they are restored from a backup', async () => {
    const docId = await createLocal('a')
    await directory.reportReplicated('a')
    const from = new BackupServiceClientImpl(directory.clients.channel)
    const context = await directory.system()
    const lines: Buffer[] = []
    for await (const { line } of from.readTables({}, context)) lines.push(line)
    await using restored = await TestDirectory.start()
    const to = new BackupServiceClientImpl(restored.clients.channel)
    async function* parts() {
      for (const value of lines) yield { part: { $case: 'line' as const, value } }
      await Promise.resolve()
    }
    await to.restoreTables(parts(), await restored.system())
    const { homes } = restored.clients
    const request = { home: 'a', afterId: 0, pinnedOnly: false }
    const { documents } = await homes.listHomeDocuments(request, await restored.system())
    expect(documents).toMatchObject([{ docId, pin: Pin.UNSPECIFIED }])
  })

  it('are pinned and released by the process with the lease of their instance alone', async () => {
    const docId = await createLocal('a')
    await directory.reportReplicated('a')
    await directory.reportReplicated('b')
    expect((await pin('b', [docId], Pin.UNSPECIFIED)).docIds).toEqual([])
    expect((await pin('a', [docId], Pin.UNSPECIFIED, 'second')).docIds).toEqual([])
    await directory.endLease('a')
    expect((await pin('a', [docId], Pin.UNSPECIFIED)).docIds).toEqual([])
    expect((await pin('a', [docId], Pin.WAITING, '')).docIds).toEqual([])
    expect(await list('a', true)).toEqual([[docId, Pin.WAITING]])
    await expect(pin('a', ['1'], Pin.UNSPECIFIED)).rejects.toMatchObject({
      reason: 'INVALID_HOME',
      metadata: { field: 'doc_ids' },
    })
    await expect(pin('a', [docId], 7 as Pin)).rejects.toMatchObject({
      reason: 'INVALID_HOME',
      metadata: { field: 'pin' },
    })
  })
})
