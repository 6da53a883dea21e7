import { AppError } from '@sheaf/kit/errors'
import { eventually } from '@sheaf/testkit/eventually'
import { TestDirectory, type TestUser } from './test-directory'
import { startTestHome } from './test-home'

/** Longer than any pause of the outbox. */
const patience = { timeoutMs: 60_000 }

describe('the outbox', () => {
  let directory: TestDirectory
  let alice: TestUser
  beforeAll(async () => {
    directory = await TestDirectory.start()
    alice = await directory.addUser('alice')
  })
  // New documents are placed on any instance that has reported within 30 s.
  afterEach(() => directory.query('delete from directory.homes'))
  afterAll(() => directory[Symbol.asyncDispose]())

  const countEntries = () => directory.countOutbox('document-data')
  const deleteOrg = async (org: string) =>
    directory.clients.orgs.deleteOrg({ org: { org, site: '' } }, await directory.as(alice))
  const readVersion = async () =>
    Number((await directory.query('select version from directory.access_state')).rows[0]?.version)
  const makeDocuments = async (workspace: number, count: number) => {
    const ids: string[] = []
    for (let made = 0; made < count; made++)
      ids.push(await directory.createDocument(alice, workspace))
    return ids.sort()
  }

  it('tells the home of every document of a deleted org, and is empty then', async () => {
    await using home = await startTestHome(directory)
    await directory.createOrg(alice, 'first')
    const first = await makeDocuments(await directory.createWorkspace(alice, 'first'), 3)
    const second = await makeDocuments(await directory.createWorkspace(alice, 'first'), 2)
    await deleteOrg('first')
    await eventually(async () => (await countEntries()) === 0, patience)
    expect([...home.deleted].sort()).toEqual([...first, ...second].sort())
  })

  it('holds what an instance that is down has to hear until it is back, at whatever address', async () => {
    const down = await startTestHome(directory)
    await using other = await startTestHome(directory, 'document-data-1')
    await directory.createOrg(alice, 'second')
    const workspace = await directory.createWorkspace(alice, 'second')
    const docIds = await makeDocuments(workspace, 4)
    await directory.query(
      `update directory.documents set home = case when doc_id = any($1::uuid[]) then $2 else $3 end`,
      [docIds.slice(0, 2), down.name, other.name],
    )
    await down[Symbol.asyncDispose]()
    await deleteOrg('second')
    // The instance that is up waits for nobody.
    await eventually(() => other.deleted.length === 2, patience)
    await eventually(async () => (await countEntries()) === 2, patience)

    await using back = await startTestHome(directory, down.name)
    await eventually(async () => (await countEntries()) === 0, patience)
    expect([...other.deleted, ...back.deleted].sort()).toEqual(docIds)
  })

  it('tells a live instance of the documents of a replicated one whose lease has ended', async () => {
    await directory.query('delete from directory.homes')
    const lease = { replicated: true, startId: 'process' }
    await using home = await startTestHome(directory, 'document-data-0', lease)
    await directory.createOrg(alice, 'gone')
    const docIds = await makeDocuments(await directory.createWorkspace(alice, 'gone'), 3)
    await using live = await startTestHome(directory, 'live', lease)
    await directory.query(
      `update directory.homes set lease_until = case name
         when 'live' then now() + interval '1 hour' else now() - interval '1 second' end`,
    )
    await deleteOrg('gone')
    await eventually(async () => (await countEntries()) === 0, patience)
    expect([...live.deleted].sort()).toEqual(docIds)
    expect(home.deleted).toEqual([])
  })

  it('tells the newest live instance of them', async () => {
    const lease = { replicated: true, startId: 'process' }
    await using home = await startTestHome(directory, 'document-data-0', lease)
    await using old = await startTestHome(directory, 'another', { ...lease, protocol: 1 })
    await using live = await startTestHome(directory, 'live', lease)
    await directory.endLease(home.name)
    const workspace = await directory.createWorkspace(alice, 'current')
    const [docId = ''] = await makeDocuments(workspace, 1)
    await directory.query('update directory.documents set home = $2 where doc_id = $1', [
      docId,
      home.name,
    ])
    const request = { document: docId, site: '' }
    await directory.clients.documents.deleteDocument(request, await directory.as(alice))
    await eventually(async () => (await countEntries()) === 0, patience)
    expect(live.kept).toEqual([docId])
    expect(old.deleted).toEqual([])
  })

  it('is delivered by another directory when one dies with entries in its hands', async () => {
    const { rows } = await directory.query(
      `insert into directory.outbox (consumer, kind, doc_id, home, attempts, due_at)
       values ('document-data', 'document_deleted', gen_random_uuid(), 'document-data-0', 1, now() + interval '1 second')
       returning doc_id`,
    )
    await using home = await startTestHome(directory)
    await eventually(() => home.deleted.length === 1, patience)
    expect(home.deleted).toEqual([rows[0]?.doc_id])
  })

  it('is shared by several directories, and nothing is told twice without need', async () => {
    await using home = await startTestHome(directory)
    await directory.startInstance()
    await directory.startInstance()
    await directory.query(
      `insert into directory.outbox (consumer, kind, doc_id, home)
       select 'document-data', 'document_deleted', gen_random_uuid(), 'document-data-0'
       from generate_series(1, 300)`,
    )
    await eventually(async () => (await countEntries()) === 0, patience)
    expect(home.deleted).toHaveLength(300)
    expect(new Set(home.deleted).size).toBe(300)
  })

  it('tries again what was refused, and lets nothing else wait for it', async () => {
    await using home = await startTestHome(directory)
    home.refusal = new AppError('precondition', 'WRONG_HOME', 'not here')
    const workspace = await directory.createWorkspace(alice, 'current')
    const [refused = '', other = ''] = await makeDocuments(workspace, 2)
    const remove = async (document: string) =>
      directory.clients.documents.deleteDocument({ document, site: '' }, await directory.as(alice))
    await remove(refused)
    await eventually(async () => {
      const { rows } = await directory.query(
        `select 1 from directory.outbox
         where consumer = 'document-data' and attempts > 0 and due_at > now()`,
      )
      return rows.length === 1
    }, patience)
    home.refusal = undefined
    await remove(other)
    await eventually(() => home.deleted.length === 2, patience)
    expect([...home.deleted].sort()).toEqual([refused, other].sort())
    await eventually(async () => (await countEntries()) === 0, patience)
  })

  it('hears of documents that nobody finished making, and of what was in the trash for long', async () => {
    await using home = await startTestHome(directory)
    const { documents } = directory.clients
    const call = await directory.as(alice)
    const workspace = await directory.createWorkspace(alice, 'current')
    const kept = await directory.createDocument(alice, workspace)
    const trashed = await directory.createDocument(alice, workspace)
    const recent = await directory.createDocument(alice, workspace)
    for (const document of [trashed, recent])
      await documents.removeDocument({ document, site: '' }, call)
    const folder = await directory.createWorkspace(alice, 'current', 'Old')
    const inside = await directory.createDocument(alice, folder)
    await directory.clients.workspaces.removeWorkspace({ workspaceId: folder }, call)
    const reserve = { workspaceId: workspace, name: '', isPinned: false }
    const { document: lost } = await documents.createDocument(reserve, call)
    const { document: young } = await documents.createDocument(reserve, call)
    await directory.query(
      `update directory.documents set removed_at = now() - interval '31 days' where doc_id = $1`,
      [trashed],
    )
    await directory.query(
      `update directory.workspaces set removed_at = now() - interval '31 days' where id = $1`,
      [folder],
    )
    await directory.query(
      `update directory.documents set created_at = now() - interval '25 hours' where doc_id = $1`,
      [lost?.docId],
    )
    const before = await readVersion()
    await directory.startInstance()
    const gone = [trashed, inside, lost?.docId].sort()
    await eventually(() => home.deleted.length === gone.length, patience)
    expect([...home.deleted].sort()).toEqual(gone)
    // Gateways may show what is in the trash until they hear of a change.
    expect(await readVersion()).toBeGreaterThan(before)
    const { rows } = await directory.query(
      'select doc_id from directory.documents where workspace_id = any($1::integer[]) order by id',
      [[workspace, folder]],
    )
    expect(rows.map((row) => row.doc_id)).toEqual([kept, recent, young?.docId])
  })
})
