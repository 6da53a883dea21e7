import { Role } from '@sheaf/protos/sheaf/directory/v1/access'
import { TestDirectory, type TestUser } from './test-directory'

describe('a document', () => {
  let directory: TestDirectory
  let alice: TestUser
  let bob: TestUser
  let carol: TestUser
  let here: number
  let there: number
  beforeAll(async () => {
    directory = await TestDirectory.start()
    ;[alice, bob, carol] = await directory.addUsers('alice', 'bob', 'carol')
    await directory.addHome()
    await directory.createOrg(alice, 'first')
    const second = await directory.createOrg(carol, 'second')
    await directory.grant('org', second, alice, 'editors')
    here = await directory.createWorkspace(alice, 'first')
    there = await directory.createWorkspace(carol, 'second')
    await directory.grant('workspace', here, bob, 'owners')
  })
  afterAll(() => directory[Symbol.asyncDispose]())

  const move = async (user: TestUser, document: string, workspaceId: number) =>
    directory.clients.documents.moveDocument(
      { document, site: '', workspaceId },
      await directory.as(user),
    )
  const get = async (user: TestUser, document: string) =>
    directory.clients.documents.getDocument({ document, site: '' }, await directory.as(user))

  it('that is moved to another org has the roles of the new place, and no url id', async () => {
    const docId = await directory.createDocument(alice, here, { urlId: 'moving' })
    expect((await get(bob, docId)).document?.access).toBe(Role.OWNERS)
    expect(await move(alice, docId, there)).toEqual({ docId })
    const found = await get(carol, docId)
    expect(found).toMatchObject({ workspace: { id: there }, org: { domain: 'second' } })
    expect(found.document?.access).toBe(Role.OWNERS)
    expect(found.document?.urlId).toBeUndefined()
    await expect(get(bob, docId)).rejects.toMatchObject({ code: 'forbidden' })
  })

  it('stays with its owner, who owned it only by the place it comes from', async () => {
    const docId = await directory.createDocument(bob, here)
    await directory.grantDocument(docId, bob, null)
    await directory.query(
      `update directory.documents set max_inherited_role = 'viewers' where doc_id = $1`,
      [docId],
    )
    await directory.grantDocument(docId, alice, 'owners')
    await directory.query(
      `update directory.documents set max_inherited_role = 'owners' where doc_id = $1`,
      [docId],
    )
    await directory.grantDocument(docId, alice, null)
    await move(alice, docId, there)
    expect((await get(alice, docId)).document?.access).toBe(Role.OWNERS)
    const id = await directory.documentId(docId)
    expect(await directory.auditOf('document', id)).toEqual(['alice role alice - owners'])
  })

  it('is moved by its owners alone, to where they may add documents, and nowhere else', async () => {
    const docId = await directory.createDocument(alice, here)
    await directory.grantDocument(docId, carol, 'editors')
    await expect(move(carol, docId, there)).rejects.toMatchObject({ code: 'forbidden' })
    await expect(move(bob, docId, there)).rejects.toMatchObject({ code: 'forbidden' })
    await expect(move(alice, docId, here)).rejects.toMatchObject({
      code: 'invalid',
      reason: 'SAME_WORKSPACE',
    })
    for (const nowhere of [999_999, 0, -1, 2 ** 40])
      await expect(move(alice, docId, nowhere)).rejects.toMatchObject({
        code: 'not_found',
        message: 'workspace not found',
      })
    await expect(move(alice, 'nosuchdocument', there)).rejects.toMatchObject({
      message: 'document not found',
    })
    const removed = await directory.createWorkspace(alice, 'first')
    const call = await directory.as(alice)
    await directory.clients.workspaces.removeWorkspace({ workspaceId: removed }, call)
    await expect(move(alice, docId, removed)).rejects.toMatchObject({ code: 'invalid' })
    expect((await get(alice, docId)).workspace?.id).toBe(here)
  })

  it('is pinned by editors of the org, whatever their role on it', async () => {
    const docId = await directory.createDocument(alice, here)
    await directory.grantDocument(docId, carol, 'editors')
    const pin = async (user: TestUser, isPinned: boolean) =>
      directory.clients.documents.pinDocument(
        { document: docId, site: '', isPinned },
        await directory.as(user),
      )
    await expect(pin(carol, true)).rejects.toMatchObject({ code: 'forbidden' })
    await pin(alice, true)
    await pin(alice, true)
    expect((await get(alice, docId)).document?.isPinned).toBe(true)
    await pin(alice, false)
    expect((await get(alice, docId)).document?.isPinned).toBe(false)
  })

  it('whose workspace was deleted while it was being made is not made', async () => {
    const workspace = await directory.createWorkspace(alice, 'first')
    const call = await directory.as(alice)
    const request = { workspaceId: workspace, name: '', isPinned: false }
    const { document, token } = await directory.clients.documents.createDocument(request, call)
    await directory.clients.workspaces.deleteWorkspace({ workspaceId: workspace }, call)
    await expect(
      directory.clients.documents.publishDocument({ docId: document?.docId ?? '' }, { token }),
    ).rejects.toMatchObject({ code: 'not_found' })
  })

  it('that took long to make is published by who reserved it, and by nobody else', async () => {
    const { documents } = directory.clients
    const request = { workspaceId: here, name: '', isPinned: false }
    const { document } = await documents.createDocument(request, await directory.as(alice))
    const docId = document?.docId ?? ''
    for (const user of [bob, undefined])
      await expect(documents.publishDocument({ docId }, await directory.as(user))).rejects.toThrow()
    await documents.publishDocument({ docId }, await directory.as(alice))
    expect((await get(alice, docId)).document?.docId).toBe(docId)
    for (const unknown of ['', 'x', '999999'])
      await expect(
        documents.publishDocument({ docId: unknown }, await directory.as(alice)),
      ).rejects.toMatchObject({ code: 'not_found' })
  })
})
