import { roleFromWire } from '@sheaf/auth/roles'
import { Role } from '@sheaf/protos/sheaf/directory/v1/access'
import { expectRefused, resolveRequest, TestDirectory, type TestUser } from './test-directory'

describe('a key with a scope', () => {
  let directory: TestDirectory
  let alice: TestUser
  let dan: TestUser
  let org: number
  let otherOrg: number
  /** Two workspaces of the org and one of the other org, each with a document. */
  const places: { workspaceId: number; docId: string }[] = []
  let extraDoc: string

  const at = (i: number) => places[i] ?? { workspaceId: 0, docId: '' }
  const ref = (id: number) => ({ org: String(id), site: '' })

  beforeAll(async () => {
    directory = await TestDirectory.start()
    await directory.addHome()
    ;[alice, dan] = await directory.addUsers('alice', 'dan')
    org = await directory.createOrg(alice, 'acme')
    otherOrg = await directory.createOrg(alice, 'other')
    for (const [i, owner] of [org, org, otherOrg].entries()) {
      const workspaceId = await directory.createWorkspace(alice, owner, `Work ${i}`)
      places.push({ workspaceId, docId: await directory.createDocument(alice, workspaceId) })
    }
    extraDoc = await directory.createDocument(alice, at(0).workspaceId)
  })
  afterAll(() => directory[Symbol.asyncDispose]())

  /** The role on each document: of both workspaces of the org, and of the other org. */
  const roles = async (user: TestUser) =>
    Promise.all(
      places.map(({ docId }) =>
        directory.resolve(user, { document: docId }).then(
          ({ document }) => roleFromWire(document?.role ?? Role.UNSPECIFIED),
          ({ code }: { code: string }) => code,
        ),
      ),
    )

  it('has the role of its user inside, and none outside', async () => {
    const none = 'forbidden'
    expect(await roles(alice)).toEqual(['owners', 'owners', 'owners'])
    const scopes = [
      [{ orgs: ['acme'] }, ['owners', 'owners', none]],
      [{ orgs: [String(otherOrg)] }, [none, none, 'owners']],
      [{ workspaces: [at(0).workspaceId] }, ['owners', none, none]],
      [{ documents: [at(1).docId] }, [none, 'owners', none]],
      [{ documents: [at(1).docId], orgs: ['other'] }, [none, 'owners', 'owners']],
      [{ readOnly: true }, ['viewers', 'viewers', 'viewers']],
      [{ readOnly: true, workspaces: [at(0).workspaceId] }, ['viewers', none, none]],
    ] as const
    for (const [scope, expected] of scopes) {
      const confined = await directory.withScope(alice, {
        readOnly: false,
        orgs: [],
        workspaces: [],
        documents: [],
        ...(structuredClone(scope) as object),
      })
      expect(await roles(confined)).toEqual(expected)
    }
  })

  it('cannot do more than its user can now', async () => {
    await directory.grant('workspace', at(0).workspaceId, dan, 'editors')
    const confined = await directory.withScope(dan, { workspaces: [at(0).workspaceId] })
    expect(await roles(confined)).toEqual(['editors', 'forbidden', 'forbidden'])
    await directory.grant('workspace', at(0).workspaceId, dan, null)
    expect(await roles(confined)).toEqual(['forbidden', 'forbidden', 'forbidden'])
  })

  it('is refused a role that its user has, because of its scope, and any other as its user is', async () => {
    const confined = await directory.withScope(alice, { readOnly: true })
    const asked = { document: at(0).docId, neededRole: Role.EDITORS }
    await expect(directory.resolve(confined, asked)).rejects.toMatchObject({
      code: 'forbidden',
      reason: 'KEY_SCOPE',
    })
    await directory.grant('workspace', at(0).workspaceId, dan, 'viewers')
    const asViewer = await directory.withScope(dan, { readOnly: true })
    await expect(directory.resolve(asViewer, asked)).rejects.toMatchObject({
      reason: 'ACCESS_DENIED',
      message: 'No write access',
    })
    await directory.grant('workspace', at(0).workspaceId, dan, null)
  })

  it('sees in listings what is inside, and the way to it', async () => {
    const { orgs, workspaces } = directory.clients
    const call = await directory.as(await directory.withScope(alice, { documents: [extraDoc] }))
    const listed = await orgs.listOrgs({ site: '' }, call)
    expect(listed.orgs.map(({ id, access }) => [id, access])).toEqual([[org, Role.GUESTS]])
    const inside = await workspaces.listWorkspaces({ org: ref(org) }, call)
    expect(
      inside.workspaces.map(({ id, access, docs }) => [id, access, docs.map(({ docId }) => docId)]),
    ).toEqual([[at(0).workspaceId, Role.GUESTS, [extraDoc]]])
    const { workspace } = await workspaces.getWorkspace({ workspaceId: at(0).workspaceId }, call)
    expect(workspace?.docs.map(({ docId }) => docId)).toEqual([extraDoc])
    await expectRefused(
      [
        workspaces.getWorkspace({ workspaceId: at(1).workspaceId }, call),
        workspaces.listWorkspaces({ org: ref(otherOrg) }, call),
        orgs.getOrg({ org: ref(otherOrg) }, call),
        orgs.getOrg({ org: { org: 'current', site: '' } }, call),
      ],
      { reason: 'KEY_SCOPE' },
    )
  })

  it('shows roles as far as they go', async () => {
    const { documents, workspaces } = directory.clients
    const workspaceId = at(0).workspaceId
    const reading = await directory.withScope(alice, { readOnly: true, workspaces: [workspaceId] })
    const call = await directory.as(reading)
    const described = await documents.getDocument({ document: extraDoc, site: '' }, call)
    expect(described.document?.access).toBe(Role.VIEWERS)
    expect(described.workspace?.access).toBe(Role.VIEWERS)
    expect(described.org?.access).toBe(Role.GUESTS)
    const { workspace } = await workspaces.getWorkspace({ workspaceId }, call)
    expect(workspace?.docs.map(({ access }) => access)).toEqual([Role.VIEWERS, Role.VIEWERS])
  })

  it('changes what is inside, and nothing around or outside', async () => {
    const { documents, orgs, workspaces } = directory.clients
    const [inside, outside] = [at(0).workspaceId, at(1).workspaceId]
    const confined = await directory.withScope(alice, { workspaces: [inside] })
    const call = await directory.as(confined)
    await workspaces.updateWorkspace({ workspaceId: inside, name: 'Renamed' }, call)
    const docId = await directory.createDocument(confined, inside)
    await documents.updateDocument({ document: docId, site: '', name: 'New name' }, call)
    await expectRefused(
      [
        workspaces.updateWorkspace({ workspaceId: outside, name: 'No' }, call),
        workspaces.createWorkspace({ org: ref(org), name: 'No' }, call),
        orgs.updateOrg({ org: ref(org), name: 'No' }, call),
        orgs.createOrg({ name: 'No', domain: '' }, call),
        documents.createDocument({ workspaceId: outside, name: '', isPinned: false }, call),
        documents.updateDocument({ document: at(1).docId, site: '', name: 'No' }, call),
        documents.getDocument({ document: at(1).docId, site: '' }, call),
      ],
      { code: 'forbidden', reason: 'KEY_SCOPE' },
    )
  })

  it('moves, pins, trashes and deletes what is inside, and nothing outside', async () => {
    const { documents, orgs, workspaces } = directory.clients
    const inside = await directory.createWorkspace(alice, org, 'Inside')
    const confined = await directory.withScope(alice, {
      workspaces: [inside, at(0).workspaceId],
    })
    const call = await directory.as(confined)
    const docId = await directory.createDocument(confined, at(0).workspaceId)
    const address = { document: docId, site: '' }
    const other = { document: at(1).docId, site: '' }
    const workspaceId = at(1).workspaceId
    await documents.moveDocument({ ...address, workspaceId: inside }, call)
    await documents.pinDocument({ ...address, isPinned: true }, call)
    await documents.removeDocument(address, call)
    await documents.restoreDocument(address, call)
    await documents.removeDocument(address, call)
    await documents.deleteDocument(address, call)
    await workspaces.removeWorkspace({ workspaceId: inside }, call)
    await workspaces.restoreWorkspace({ workspaceId: inside }, call)
    await expectRefused(
      [
        documents.moveDocument({ document: at(0).docId, site: '', workspaceId }, call),
        documents.moveDocument({ ...other, workspaceId: inside }, call),
        documents.pinDocument({ ...other, isPinned: true }, call),
        documents.removeDocument(other, call),
        documents.restoreDocument(other, call),
        documents.deleteDocument(other, call),
        workspaces.removeWorkspace({ workspaceId }, call),
        workspaces.restoreWorkspace({ workspaceId }, call),
        workspaces.deleteWorkspace({ workspaceId }, call),
        orgs.deleteOrg({ org: ref(org) }, call),
        directory.clients.users.deleteUser({ userId: String(alice.id), name: 'alice' }, call),
      ],
      { code: 'forbidden', reason: 'KEY_SCOPE' },
    )
    await workspaces.deleteWorkspace({ workspaceId: inside }, call)
  })

  it('publishes only what was reserved inside', async () => {
    const { documents } = directory.clients
    const request = { workspaceId: at(1).workspaceId, name: '', isPinned: false }
    const { document } = await documents.createDocument(request, await directory.as(alice))
    const docId = document?.docId ?? ''
    const confined = await directory.withScope(alice, { workspaces: [at(0).workspaceId] })
    const call = await directory.as(confined)
    await expectRefused(
      [documents.publishDocument({ docId }, call), documents.discardDocument({ docId }, call)],
      { reason: 'KEY_SCOPE' },
    )
    await documents.publishDocument({ docId }, await directory.as(alice))
  })

  it("shows who has access to what is inside, and changes nobody else's", async () => {
    const { access } = directory.clients
    const call = await directory.as(
      await directory.withScope(alice, { workspaces: [at(0).workspaceId] }),
    )
    const workspace = (value: number) =>
      ({ resource: { $case: 'workspaceId', value }, site: '' }) as const
    const document = (value: string) =>
      ({ resource: { $case: 'document', value }, site: '' }) as const
    for (const resource of [workspace(at(0).workspaceId), document(at(0).docId)]) {
      const { users } = await access.listAccess({ resource }, call)
      expect(users.map(({ userId }) => userId)).toEqual([alice.id])
      await expectRefused([access.updateAccess({ resource, changes: [] }, call)], {
        reason: 'KEY_SCOPE',
      })
    }
    const around = { resource: { $case: 'org', value: String(org) }, site: '' } as const
    await expectRefused(
      [around, workspace(at(1).workspaceId), document(at(1).docId)].map((resource) =>
        access.listAccess({ resource }, call),
      ),
      { reason: 'KEY_SCOPE' },
    )
  })

  it('that only reads changes nothing anywhere', async () => {
    const { documents, orgs, workspaces } = directory.clients
    const call = await directory.as(await directory.withScope(alice, { readOnly: true }))
    const { workspaceId, docId } = at(0)
    await expectRefused(
      [
        orgs.updateOrg({ org: ref(org), name: 'No' }, call),
        orgs.createOrg({ name: 'No', domain: '' }, call),
        workspaces.createWorkspace({ org: ref(org), name: 'No' }, call),
        workspaces.updateWorkspace({ workspaceId, name: 'No' }, call),
        documents.createDocument({ workspaceId, name: '', isPinned: false }, call),
        documents.updateDocument({ document: docId, site: '', name: 'No' }, call),
      ],
      { code: 'forbidden', reason: 'KEY_SCOPE' },
    )
  })

  it('answers for things that do not exist as any key does', async () => {
    const { documents, workspaces } = directory.clients
    const call = await directory.as(await directory.withScope(alice, { orgs: ['acme'] }))
    await expect(workspaces.getWorkspace({ workspaceId: 999_999 }, call)).rejects.toMatchObject({
      code: 'not_found',
    })
    await expect(documents.getDocument({ document: 'nope', site: '' }, call)).rejects.toMatchObject(
      { code: 'not_found' },
    )
  })

  it('manages no keys, not even itself', async () => {
    const { keys } = directory.clients
    const call = await directory.as(await directory.withScope(alice, { orgs: ['acme'] }))
    const userId = alice.id
    await expectRefused(
      [
        keys.listKeys({ userId }, call),
        keys.listKeyDocuments({ keyId: 1 }, call),
        keys.createKey({ userId, name: '', expiresAt: '' }, call),
        keys.revokeKey({ keyRef: { $case: 'key', value: alice.key } }, call),
        keys.getDefaultKey({ userId }, call),
        keys.createDefaultKey({ userId, replace: true }, call),
        keys.revokeDefaultKey({ userId }, call),
      ],
      { reason: 'KEY_SCOPE' },
    )
    await directory.resolve(alice)
  })

  it('hands its scope on to the owner of a new document', async () => {
    const confined = await directory.withScope(alice, { workspaces: [at(0).workspaceId] })
    const made = await directory.clients.documents.createDocument(
      { workspaceId: at(0).workspaceId, name: '', isPinned: false },
      await directory.as(confined),
    )
    const listed = await directory.clients.orgs.listOrgs({ site: '' }, { token: made.token })
    expect(listed.orgs.map(({ id }) => id)).toEqual([org])
  })

  it('reaches nothing when what it was made for is gone', async () => {
    const doomed = await directory.createDocument(alice, at(0).workspaceId)
    const confined = await directory.withScope(alice, { documents: [doomed] })
    await directory.query('delete from directory.documents where doc_id = $1', [doomed])
    expect(await roles(confined)).toEqual(['forbidden', 'forbidden', 'forbidden'])
    const { orgs } = await directory.clients.orgs.listOrgs(
      { site: '' },
      await directory.as(confined),
    )
    expect(orgs).toEqual([])
  })

  it('is not made for places that its user cannot see, or too many', async () => {
    const many = Array.from({ length: 51 }, () => at(0).workspaceId)
    const hidden = { documents: [at(2).docId] }
    for (const [scope, field] of [
      [hidden, 'scope.documents[0]'],
      [{ orgs: ['acme'] }, 'scope.orgs[0]'],
      [{ workspaces: [at(2).workspaceId] }, 'scope.workspaces[0]'],
      [{ workspaces: [0] }, 'scope.workspaces[0]'],
      [{ orgs: ['no such org!'] }, 'scope.orgs[0]'],
      [{ workspaces: many }, 'scope'],
    ] as const)
      await expect(
        directory.withScope(dan, structuredClone(scope) as object),
      ).rejects.toMatchObject({ code: 'invalid', reason: 'INVALID_SCOPE', metadata: { field } })
  })

  it('shows its scope in the list of keys, with the lasting ids of what was named', async () => {
    const { keys } = directory.clients
    const call = await directory.as(alice)
    const scope = { readOnly: true, orgs: ['acme', String(org)], workspaces: [], documents: [] }
    const { apiKey } = await keys.createKey({ userId: 0, name: 'ci', expiresAt: '', scope }, call)
    expect(apiKey?.scope).toEqual({ ...scope, orgs: [String(org)] })
    const { apiKeys } = await keys.listKeys({ userId: 0 }, call)
    expect(apiKeys.find(({ id }) => id === apiKey?.id)).toEqual(apiKey)
  })

  it('is not made of a scope that restricts nothing', async () => {
    const { keys } = directory.clients
    const free = { readOnly: false, orgs: [], workspaces: [], documents: [] }
    const request = { userId: 0, name: 'free', expiresAt: '', scope: free }
    await expect(keys.createKey(request, await directory.as(alice))).rejects.toMatchObject({
      code: 'invalid',
      reason: 'INVALID_SCOPE',
      metadata: { field: 'scope' },
    })
  })

  it('is confined however it is resolved', async () => {
    const confined = await directory.withScope(alice, { documents: [extraDoc] })
    const credential = { $case: 'apiKey', value: confined.key } as const
    const { token } = await directory.clients.access.resolveAccess(
      resolveRequest({ credential, document: extraDoc }),
    )
    const { orgs } = await directory.clients.orgs.listOrgs({ site: '' }, { token })
    expect(orgs.map(({ id }) => id)).toEqual([org])
  })
})
