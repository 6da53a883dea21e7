import { Role } from '@sheaf/protos/sheaf/directory/v1/access'
import { TestDirectory, type TestUser } from './test-directory'

describe('the trash', () => {
  let directory: TestDirectory
  let alice: TestUser
  let bob: TestUser
  let dan: TestUser
  let workspace: number
  beforeAll(async () => {
    directory = await TestDirectory.start()
    ;[alice, bob, dan] = await directory.addUsers('alice', 'bob', 'dan')
    await directory.addHome()
    const team = await directory.createOrg(alice, 'bench')
    await directory.grant('org', team, bob, 'editors')
    workspace = await directory.createWorkspace(alice, 'bench')
  })
  afterAll(() => directory[Symbol.asyncDispose]())

  const asked = (document: string) => ({ document, site: '' })
  const getDocument = async (user: TestUser, document: string, removed?: boolean) =>
    directory.clients.documents.getDocument(
      { ...asked(document), removed },
      await directory.as(user),
    )
  const listNames = async (user: TestUser, removed: boolean) => {
    const { workspaces } = await directory.clients.workspaces.listWorkspaces(
      { org: { org: 'bench', site: '' }, removed },
      await directory.as(user),
    )
    return workspaces.map(({ name, docs }) => [name, docs.map((doc) => doc.name)])
  }

  it('hides a document from everybody, until its owner takes it out', async () => {
    const { documents } = directory.clients
    const docId = await directory.createDocument(alice, workspace, { name: 'Soft' })
    const call = await directory.as(alice)
    await documents.removeDocument(asked(docId), call)
    await documents.removeDocument(asked(docId), call)

    await expect(getDocument(alice, docId)).rejects.toMatchObject({ code: 'not_found' })
    await expect(directory.resolve(alice, { document: docId })).rejects.toMatchObject({
      code: 'not_found',
      reason: 'DOCUMENT_IN_TRASH',
    })
    await expect(directory.resolve(dan, { document: docId })).rejects.toMatchObject({
      code: 'forbidden',
    })
    expect((await getDocument(alice, docId, true)).document?.removedAt).toBeDefined()
    expect(await listNames(bob, true)).toEqual([['Work', ['Soft']]])
    await documents.updateDocument({ ...asked(docId), name: 'While away' }, call)
    await expect(
      documents.restoreDocument(asked(docId), await directory.as(bob)),
    ).rejects.toMatchObject({ code: 'forbidden' })

    await documents.restoreDocument(asked(docId), call)
    await documents.restoreDocument(asked(docId), call)
    expect((await getDocument(bob, docId)).document).toMatchObject({
      name: 'While away',
      removedAt: undefined,
    })
    expect((await directory.resolve(bob, { document: docId })).document?.role).toBe(Role.EDITORS)
  })

  it('takes a workspace with all its documents, and gives them back as they were', async () => {
    const { workspaces, documents } = directory.clients
    const call = await directory.as(alice)
    const id = await directory.createWorkspace(alice, 'bench', 'Folder')
    const docId = await directory.createDocument(alice, id, { name: 'Inside' })
    const gone = await directory.createDocument(alice, id, { name: 'Gone before' })
    await documents.removeDocument(asked(gone), call)
    await workspaces.removeWorkspace({ workspaceId: id }, call)

    await expect(workspaces.getWorkspace({ workspaceId: id }, call)).rejects.toMatchObject({
      code: 'not_found',
    })
    await expect(getDocument(alice, docId)).rejects.toMatchObject({ code: 'not_found' })
    await expect(directory.resolve(alice, { document: docId })).rejects.toMatchObject({
      reason: 'DOCUMENT_IN_TRASH',
    })
    await expect(directory.createDocument(alice, id)).rejects.toMatchObject({
      code: 'invalid',
      message: 'Cannot add document to a deleted workspace',
    })
    expect((await listNames(alice, false)).map(([name]) => name)).not.toContain('Folder')
    expect(await listNames(alice, true)).toContainEqual(['Folder', ['Inside', 'Gone before']])

    await workspaces.restoreWorkspace({ workspaceId: id }, call)
    expect(await listNames(alice, false)).toContainEqual(['Folder', ['Inside']])
    expect(await listNames(alice, true)).toContainEqual(['Folder', ['Gone before']])
  })

  it('makes nobody a guest of what is in it', async () => {
    const docId = await directory.createDocument(alice, workspace)
    await directory.grantDocument(docId, dan, 'viewers')
    const listOrgs = async () =>
      (await directory.clients.orgs.listOrgs({ site: '' }, await directory.as(dan))).orgs.length
    expect(await listOrgs()).toBe(2)
    const { documents } = directory.clients
    await documents.removeDocument(asked(docId), await directory.as(alice))
    expect(await listOrgs()).toBe(1)
    await expect(
      directory.clients.workspaces.getWorkspace(
        { workspaceId: workspace },
        await directory.as(dan),
      ),
    ).rejects.toMatchObject({ code: 'forbidden' })
  })

  it('is used by owners alone', async () => {
    const docId = await directory.createDocument(alice, workspace)
    const { workspaces, documents } = directory.clients
    for (const [user, message] of [
      [bob, 'access denied'],
      [dan, 'No view access'],
    ] as const) {
      const call = await directory.as(user)
      await expect(documents.removeDocument(asked(docId), call)).rejects.toMatchObject({ message })
      await expect(documents.deleteDocument(asked(docId), call)).rejects.toMatchObject({ message })
      for (const act of ['removeWorkspace', 'restoreWorkspace', 'deleteWorkspace'] as const)
        await expect(workspaces[act]({ workspaceId: workspace }, call)).rejects.toMatchObject({
          code: 'forbidden',
        })
    }
  })

  it('lets the url id of what is in it be asked for where a living document has it too', async () => {
    const { documents } = directory.clients
    const there = await directory.createWorkspace(alice, 'current')
    const removed = await directory.createDocument(alice, workspace, { urlId: 'twice' })
    await documents.removeDocument(asked(removed), await directory.as(alice))
    const living = await directory.createDocument(alice, there, { urlId: 'twice' })
    expect((await getDocument(alice, 'twice')).document?.docId).toBe(living)
  })
})
