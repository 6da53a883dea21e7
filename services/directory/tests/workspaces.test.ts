import { roleFromWire } from '@sheaf/auth/roles'
import { Role } from '@sheaf/protos/sheaf/directory/v1/access'
import type { Workspace } from '@sheaf/protos/sheaf/directory/v1/workspaces'
import { TestDirectory, type TestUser } from './test-directory'

describe('workspaces', () => {
  let directory: TestDirectory
  let alice: TestUser
  let bob: TestUser
  let carol: TestUser
  let dan: TestUser
  let team: number
  beforeAll(async () => {
    directory = await TestDirectory.start()
    ;[alice, bob, carol, dan] = await directory.addUsers('alice', 'bob', 'carol', 'dan')
    await directory.addHome()
    team = await directory.createOrg(alice, 'bench')
    await directory.grant('org', team, bob, 'editors')
    await directory.grant('org', team, carol, 'viewers')
  })
  afterAll(() => directory[Symbol.asyncDispose]())

  const get = async (user: TestUser | undefined, workspaceId: number) =>
    directory.clients.workspaces.getWorkspace({ workspaceId }, await directory.as(user))
  const list = async (user: TestUser) => {
    const { workspaces } = await directory.clients.workspaces.listWorkspaces(
      { org: { org: 'bench', site: '' } },
      await directory.as(user),
    )
    return workspaces
  }

  it('are made by editors of the org, who own them', async () => {
    const id = await directory.createWorkspace(bob, 'bench', 'Pets')
    expect(await get(bob, id)).toMatchObject({
      workspace: { id, name: 'Pets', access: Role.OWNERS, docs: [], orgDomain: 'bench' },
      org: { id: team, access: Role.EDITORS },
    })
    expect((await get(carol, id)).workspace?.access).toBe(Role.VIEWERS)
    for (const user of [carol, dan])
      await expect(directory.createWorkspace(user, 'bench')).rejects.toMatchObject({
        code: 'forbidden',
      })
    await expect(directory.createWorkspace(alice, 'nosuchorg')).rejects.toMatchObject({
      code: 'not_found',
    })
  })

  it('get a name when none is given', async () => {
    const id = await directory.createWorkspace(alice, 'bench', '')
    expect((await get(alice, id)).workspace?.name).toBe('New Workspace')
  })

  it('refuse names that cannot be shown', async () => {
    for (const name of ['a\0', '   ', 'x'.repeat(257)])
      await expect(directory.createWorkspace(alice, 'bench', name)).rejects.toMatchObject({
        code: 'invalid',
        metadata: { field: 'name' },
      })
  })

  it('are listed by name with their documents in the order of creation', async () => {
    const org = await directory.createOrg(dan, 'sorted')
    const b = await directory.createWorkspace(dan, org, 'b')
    await directory.createWorkspace(dan, org, 'A')
    const first = await directory.createDocument(dan, b, { name: 'Zebra' })
    const second = await directory.createDocument(dan, b, { name: 'Ant' })
    const { workspaces } = await directory.clients.workspaces.listWorkspaces(
      { org: { org: 'current', site: 'sorted' } },
      await directory.as(dan),
    )
    expect(workspaces.map(({ name }) => name)).toEqual(['A', 'b', 'Home'])
    expect(workspaces[1]?.docs).toMatchObject([
      { docId: first, name: 'Zebra', access: Role.OWNERS, isPinned: false },
      { docId: second, name: 'Ant', urlId: second.replaceAll('-', '').slice(0, 12) },
    ])
  })

  it('list documents with the times that their descriptions have, to the millisecond', async () => {
    const org = await directory.createOrg(dan, 'times')
    const id = await directory.createWorkspace(dan, org, 'Times')
    const call = await directory.as(dan)
    const times = [
      ['2026-01-02 03:04:05+00', '2026-01-02T03:04:05.000Z'],
      ['2026-01-02 03:04:05.1+00', '2026-01-02T03:04:05.100Z'],
      ['2026-01-02 01:34:05.123456+05:30', '2026-01-01T20:04:05.123Z'],
      ['1999-12-31 23:59:59.999999+00', '1999-12-31T23:59:59.999Z'],
    ] as const
    for (const [stored] of times) {
      const docId = await directory.createDocument(dan, id)
      await directory.query(
        `update directory.documents set created_at = $2, updated_at = $2, removed_at = $2 where doc_id = $1`,
        [docId, stored],
      )
    }
    const { clients } = directory
    const found = await clients.workspaces.getWorkspace({ workspaceId: id, removed: true }, call)
    const docs = found.workspace?.docs ?? []
    expect(
      docs.map(({ createdAt, updatedAt, removedAt }) => [createdAt, updatedAt, removedAt]),
    ).toEqual(times.map(([, shown]) => [shown, shown, shown]))
    for (const doc of docs) {
      const request = { document: doc.docId, site: '', removed: true }
      expect((await clients.documents.getDocument(request, call)).document).toEqual(doc)
    }
  })

  it('are renamed by owners alone', async () => {
    const id = await directory.createWorkspace(alice, 'bench', 'Before')
    const { workspaces } = directory.clients
    await expect(
      workspaces.updateWorkspace({ workspaceId: id, name: 'No' }, await directory.as(bob)),
    ).rejects.toMatchObject({ code: 'forbidden' })
    const call = await directory.as(alice)
    await workspaces.updateWorkspace({ workspaceId: id, name: 'After' }, call)
    await workspaces.updateWorkspace({ workspaceId: id }, call)
    await expect(
      workspaces.updateWorkspace({ workspaceId: id, name: '' }, call),
    ).rejects.toMatchObject({ code: 'invalid', reason: 'INVALID_NAME' })
    expect((await get(alice, id)).workspace?.name).toBe('After')
  })

  it('are not found when there are none, and forbidden to strangers', async () => {
    for (const id of [0, -1, 999_999, 2 ** 40])
      await expect(get(alice, id)).rejects.toMatchObject({
        code: 'not_found',
        message: 'workspace not found',
      })
    const id = await directory.createWorkspace(alice, 'bench')
    for (const user of [dan, undefined])
      await expect(get(user, id)).rejects.toMatchObject({
        code: 'forbidden',
        message: 'access denied',
      })
  })

  it('show guests only what is shared with them', async () => {
    const id = await directory.createWorkspace(alice, 'bench', 'Guests')
    const open = await directory.createDocument(alice, id, { name: 'Open' })
    await directory.createDocument(alice, id, { name: 'Closed' })
    await directory.grantDocument(open, dan, 'viewers')
    const { workspace, org } = await get(dan, id)
    expect(workspace).toMatchObject({ name: 'Guests', access: Role.GUESTS })
    expect(workspace?.docs).toMatchObject([{ name: 'Open', access: Role.VIEWERS }])
    expect(org?.access).toBe(Role.GUESTS)
    expect(await list(dan)).toMatchObject([{ name: 'Guests', docs: [{ name: 'Open' }] }])
    await directory.grantDocument(open, dan, null)
    await expect(get(dan, id)).rejects.toMatchObject({ code: 'forbidden' })
  })

  it('show guests also the documents in them that are shared with the public', async () => {
    const id = await directory.createWorkspace(alice, 'bench', 'Public')
    const [shared, open, published] = await Promise.all(
      ['Shared', 'Open', 'Published'].map((name) => directory.createDocument(alice, id, { name })),
    )
    await directory.grantDocument(shared ?? '', dan, 'editors')
    await directory.grantDocument(open ?? '', { id: 2 }, 'viewers')
    await directory.grantDocument(published ?? '', { id: 1 }, 'viewers')
    const shown = ({ docs }: Pick<Workspace, 'docs'>) =>
      docs.map(({ name, access }) => `${name} ${roleFromWire(access)}`).sort()
    const { workspace } = await get(dan, id)
    expect(workspace && shown(workspace)).toEqual([
      'Open viewers',
      'Published viewers',
      'Shared editors',
    ])
    const listed = (await list(dan)).find(({ name }) => name === 'Public')
    expect(listed && shown(listed)).toEqual(['Published viewers', 'Shared editors'])
    for (const docId of [shared, open, published])
      for (const user of [dan, { id: 1 }, { id: 2 }])
        await directory.grantDocument(docId ?? '', user, null)
  })

  it('and documents shared with everybody open by id and are not listed', async () => {
    const id = await directory.createWorkspace(alice, 'bench', 'Everybody')
    await directory.createDocument(alice, id)
    await directory.grant('workspace', id, { id: 2 }, 'viewers')
    expect((await get(dan, id)).workspace).toMatchObject({ access: Role.VIEWERS, docs: [{}] })
    expect((await get(undefined, id)).workspace?.access).toBe(Role.VIEWERS)
    await directory.grant('org', team, dan, 'members')
    expect((await list(dan)).map(({ name }) => name)).not.toContain('Everybody')
    await directory.grant('workspace', id, { id: 1 }, 'viewers')
    expect((await list(dan)).map(({ name }) => name)).toContain('Everybody')
    await directory.grant('org', team, dan, null)
  })
})
