import { randomUUID } from 'node:crypto'
import { TestDirectory, type TestUser } from './test-directory'

describe('homes', () => {
  let directory: TestDirectory
  beforeAll(async () => {
    directory = await TestDirectory.start()
  })
  afterAll(() => directory[Symbol.asyncDispose]())

  it('are listed by name as they last reported', async () => {
    const { homes } = directory.clients
    const call = await directory.system()
    await directory.reportHome({ name: 'b', address: 'b:1', freeBytes: 5 })
    await directory.reportHome({ name: 'a', address: 'a:1', freeBytes: 5 })
    await directory.reportHome({ name: 'b', address: 'b:2', freeBytes: 7_000_000_000_000 })
    expect((await homes.listHomes({ withDocuments: false }, call)).homes).toMatchObject([
      { name: 'a', address: 'a:1' },
      { name: 'b', address: 'b:2', freeBytes: 7_000_000_000_000 },
    ])
  })

  it('get documents while they report, those with most room first', async () => {
    const alice = await directory.addUser('alice')
    const workspaceId = await directory.createWorkspace(alice, 'docs')
    const homeOfNext = async () => {
      const { document } = await directory.clients.documents.createDocument(
        { workspaceId, name: '', isPinned: false },
        await directory.as(alice),
      )
      return document?.home
    }
    expect(await homeOfNext()).toBe('b')
    await directory.query(
      `update directory.homes set reported_at = now() - interval '31 seconds' where name = 'b'`,
    )
    expect(await homeOfNext()).toBe('a')
  })

  it('share the documents when they have about the same room, and no one else gets any', async () => {
    const carol = await directory.addUser('carol')
    const workspaceId = await directory.createWorkspace(carol, 'docs')
    await directory.query('delete from directory.homes')
    await directory.addHome('most', 1_000_000)
    await directory.addHome('nearly', 800_000)
    await directory.addHome('less', 799_999)
    const homes = new Set<string | undefined>()
    for (let count = 0; count < 40; count++) {
      const docId = await directory.createDocument(carol, workspaceId)
      const { document } = await directory.resolve(carol, { document: docId })
      homes.add(document?.home)
    }
    expect([...homes].sort()).toEqual(['most', 'nearly'])
  })

  it('have their new address handed out at once', async () => {
    const bob = await directory.addUser('bob')
    const workspace = await directory.createWorkspace(bob, 'docs')
    await directory.addHome('moving', 9_000_000_000_000)
    const docId = await directory.createDocument(bob, workspace)
    await directory.reportHome({ name: 'moving', address: 'elsewhere:1', freeBytes: 1 })
    const { document } = await directory.resolve(bob, { document: docId })
    expect(document).toMatchObject({ home: 'moving', homeAddress: 'elsewhere:1' })
  })

  it('report who changed documents last, and when, which those see who may edit them', async () => {
    const [erin, frank, grace] = await directory.addUsers('erin', 'frank', 'grace')
    const workspace = await directory.createWorkspace(erin, 'docs')
    await directory.addHome()
    const docId = await directory.createDocument(erin, workspace)
    await directory.share(erin, { $case: 'document', value: docId }, { [grace.email]: 'viewers' })
    const report = async (timeMs: number, userId: number, id = docId) =>
      directory.clients.homes.reportHomeChanges(
        { changes: [{ docId: id, timeMs, userId }] },
        await directory.system(),
      )
    const seen = async (user: TestUser) => {
      const call = await directory.as(user)
      const request = { document: docId, site: '' }
      const { document } = await directory.clients.documents.getDocument(request, call)
      return [document?.updatedAt, document?.updatedBy]
    }
    const listed = async (user: TestUser) => {
      const request = { workspaceId: workspace, site: '' }
      const call = await directory.as(user)
      const found = await directory.clients.workspaces.getWorkspace(request, call)
      return found.workspace?.docs.map(({ updatedAt, updatedBy }) => [updatedAt, updatedBy])
    }
    const [created] = await seen(erin)
    const at = (seconds: number) => Date.parse(created ?? '') + seconds * 1000
    expect(await seen(erin)).toEqual([created, 'erin'])

    await report(at(60), frank.id)
    const changed = [new Date(at(60)).toISOString(), 'frank']
    expect(await seen(erin)).toEqual(changed)
    expect(await listed(erin)).toEqual([changed])
    expect(await listed(grace)).toEqual([[changed[0], undefined]])
    expect(await seen(grace)).toEqual([changed[0], undefined])

    await report(at(59), erin.id)
    await report(at(90), erin.id, '00000000-0000-4000-8000-000000000000')
    expect(await seen(erin)).toEqual(changed)
    await report(at(61), erin.id)
    expect(await seen(erin)).toEqual([new Date(at(61)).toISOString(), 'erin'])
    await report(at(120), 0)
    expect(await seen(erin)).toEqual([new Date(at(120)).toISOString(), undefined])
  })

  it('report changes that are no changes in vain', async () => {
    const call = await directory.system()
    const report = (change: { docId?: string; timeMs?: number; userId?: number }) =>
      directory.clients.homes.reportHomeChanges(
        { changes: [{ docId: randomUUID(), timeMs: 1, userId: 1, ...change }] },
        call,
      )
    await expect(report({ docId: 'x' })).rejects.toMatchObject({ metadata: { field: 'doc_ids' } })
    await expect(report({ timeMs: -1 })).rejects.toMatchObject({ metadata: { field: 'time_ms' } })
    await expect(report({ timeMs: 9e15 })).rejects.toMatchObject({ metadata: { field: 'time_ms' } })
    await expect(report({ userId: 2 ** 31 })).rejects.toMatchObject({
      metadata: { field: 'user_id' },
    })
    await expect(
      directory.clients.homes.reportHomeChanges({ changes: [] }, await directory.as()),
    ).rejects.toMatchObject({ code: 'forbidden' })
  })

  it('tell what they understand of calls, which is handed out at once when it changes', async () => {
    const bob = await directory.addUser('bert')
    const workspace = await directory.createWorkspace(bob, 'docs')
    await directory.query('delete from directory.homes')
    await directory.reportHome({ name: 'grown', protocol: 0 })
    const docId = await directory.createDocument(bob, workspace)
    const before = await directory.resolve(bob, { document: docId })
    expect(before.document).toMatchObject({ home: 'grown', homeProtocol: 0 })
    await directory.reportHome({ name: 'grown', protocol: 1 })
    const after = await directory.resolve(bob, { document: docId })
    expect(after.document).toMatchObject({ home: 'grown', homeProtocol: 1 })
    expect(after.accessVersion).toBeGreaterThan(before.accessVersion)
    await directory.reportHome({ name: 'grown', protocol: 1 })
    const same = await directory.resolve(bob, { document: docId })
    expect(same.accessVersion).toBe(after.accessVersion)
  })

  it('serve no key with caps while they are of a release that ignores caps', async () => {
    const bob = await directory.addUser('bertha')
    const workspace = await directory.createWorkspace(bob, 'docs')
    await directory.query('delete from directory.homes')
    await directory.reportHome({ name: 'old', protocol: 0 })
    const document = await directory.createDocument(bob, workspace)
    const capped = await directory.withScope(bob, {
      caps: { rowsPerCall: 5, tables: [], noStructure: false },
    })
    const refused = { code: 'unavailable', reason: 'HOME_TOO_OLD' }
    await expect(directory.resolve(capped, { document })).rejects.toMatchObject(refused)
    expect((await directory.resolve(bob, { document })).document).toMatchObject({ home: 'old' })
    await directory.reportHome({ name: 'old', protocol: 1 })
    expect((await directory.resolve(capped, { document })).document).toMatchObject({ home: 'old' })
  })

  it.each([
    { name: '', address: 'a:1', freeBytes: 0 },
    { name: 'a b', address: 'a:1', freeBytes: 0 },
    { name: 'a', address: '', freeBytes: 0 },
    { name: 'a', address: 'a\0:1', freeBytes: 0 },
    { name: 'a', address: 'a:1', freeBytes: -1 },
    { name: 'a', address: 'a:1', replicated: true },
    { name: 'a', address: 'a:1', replicated: true, startId: 'a b' },
    { name: 'a', address: 'a:1', startId: 'process' },
    { name: 'a', address: 'a:1', timeMs: -1 },
    { name: 'a', address: 'a:1', protocol: -1 },
  ])('refuse the report %j', async (report) => {
    await expect(directory.reportHome(report)).rejects.toMatchObject({ code: 'invalid' })
  })

  it('are for the system alone', async () => {
    const dan = await directory.addUser('dan')
    await expect(
      directory.clients.homes.listHomes({ withDocuments: false }, await directory.as(dan)),
    ).rejects.toMatchObject({ code: 'forbidden' })
  })
})
