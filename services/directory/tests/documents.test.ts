import { createTokenVerifier } from '@sheaf/auth/caller-token'
import { DOCUMENT_PROTOCOL } from '@sheaf/protos/protocol'
import { Role } from '@sheaf/protos/sheaf/directory/v1/access'
import type { JSONWebKeySet } from 'jose'
import { TestDirectory, type TestUser } from './test-directory'

describe('documents', () => {
  let directory: TestDirectory
  let alice: TestUser
  let bob: TestUser
  let dan: TestUser
  let workspace: number
  beforeAll(async () => {
    directory = await TestDirectory.start()
    ;[alice, bob, dan] = await directory.addUsers('alice', 'bob', 'dan')
    await directory.createOrg(alice, 'bench')
    workspace = await directory.createWorkspace(alice, 'bench')
    await directory.grant('workspace', workspace, bob, 'editors')
  })
  afterAll(() => directory[Symbol.asyncDispose]())

  const get = async (user: TestUser | undefined, document: string, site = '') =>
    directory.clients.documents.getDocument({ document, site }, await directory.as(user))
  const update = async (
    user: TestUser,
    document: string,
    change: { name?: string; isPinned?: boolean; urlId?: string },
  ) =>
    directory.clients.documents.updateDocument(
      { document, site: '', ...change },
      await directory.as(user),
    )

  it('need a live instance to be made', async () => {
    await expect(directory.createDocument(alice, workspace)).rejects.toMatchObject({
      code: 'unavailable',
      reason: 'NO_HOME',
    })
    await directory.addHome('small', 10)
    await directory.addHome('roomy', 1000)
  })

  it('do not exist until they are published', async () => {
    const { documents, access } = directory.clients
    const { document, token } = await documents.createDocument(
      { workspaceId: workspace, name: 'Draft', isPinned: true },
      await directory.as(bob),
    )
    const docId = document?.docId ?? ''
    expect(document).toEqual({
      docId,
      role: Role.OWNERS,
      unscopedRole: Role.OWNERS,
      home: 'roomy',
      homeAddress: 'roomy.test:8486',
      homeProtocol: DOCUMENT_PROTOCOL,
      assignment: 0,
    })
    const { jwks } = await access.listVerificationKeys({})
    const verifier = createTokenVerifier(() => Promise.resolve(JSON.parse(jwks) as JSONWebKeySet))
    expect(await verifier.verify(token)).toMatchObject({
      userId: bob.id,
      docId,
      role: 'owners',
      home: 'roomy',
    })

    await expect(directory.resolve(bob, { document: docId })).rejects.toMatchObject({
      code: 'not_found',
      message: 'document not found',
    })
    await expect(get(bob, docId)).rejects.toMatchObject({ code: 'not_found' })
    const listed = await directory.clients.workspaces.getWorkspace(
      { workspaceId: workspace },
      await directory.as(alice),
    )
    expect(listed.workspace?.docs).toEqual([])

    await expect(
      documents.publishDocument({ docId }, await directory.as(alice)),
    ).rejects.toMatchObject({ code: 'not_found' })
    await documents.publishDocument({ docId }, { token })
    await documents.publishDocument({ docId }, { token })
    expect(await get(bob, docId)).toMatchObject({
      document: { docId, name: 'Draft', isPinned: true, access: Role.OWNERS },
      workspace: { id: workspace, name: 'Work', access: Role.EDITORS, docs: [] },
      org: { domain: 'bench', access: Role.GUESTS },
    })
  })

  it('are discarded by their maker, and not once they are published', async () => {
    const { documents } = directory.clients
    const request = { workspaceId: workspace, name: 'Draft', isPinned: false }
    const reserve = async () => {
      const { document, token } = await documents.createDocument(request, await directory.as(bob))
      return { docId: document?.docId ?? '', token }
    }
    const [first, second, third] = [await reserve(), await reserve(), await reserve()]
    const missing = { code: 'not_found', message: 'document not found' }
    await expect(
      documents.discardDocument({ docId: first.docId }, await directory.as(alice)),
    ).rejects.toMatchObject(missing)
    await expect(
      documents.discardDocument({ docId: first.docId }, { token: second.token }),
    ).rejects.toMatchObject({ code: 'forbidden' })
    await documents.discardDocument({ docId: first.docId }, { token: first.token })
    await documents.discardDocument({ docId: second.docId }, await directory.as(bob))
    for (const { docId, token } of [first, second])
      await expect(documents.publishDocument({ docId }, { token })).rejects.toMatchObject(missing)

    await documents.publishDocument({ docId: third.docId }, { token: third.token })
    await expect(
      documents.discardDocument({ docId: third.docId }, { token: third.token }),
    ).rejects.toMatchObject(missing)
    expect(await get(bob, third.docId)).toMatchObject({ document: { name: 'Draft' } })
  })

  it('get a name and a url id when none are given', async () => {
    const docId = await directory.createDocument(alice, workspace)
    const { document } = await get(alice, docId)
    expect(document).toMatchObject({
      name: 'Untitled document',
      urlId: docId.replaceAll('-', '').slice(0, 12),
    })
  })

  it('are found by UUID, integer id and url id', async () => {
    const docId = await directory.createDocument(alice, workspace, { urlId: 'By-Name' })
    const { document } = await get(alice, docId)
    expect((await get(alice, docId.toUpperCase())).document).toEqual(document)
    expect((await get(alice, String(document?.id))).document).toEqual(document)
    expect((await get(alice, 'By-Name')).document).toEqual(document)
    for (const unknown of ['nosuchdocument00000000', '999999', '', 'a b', 'nul\0', '9'.repeat(40)])
      await expect(get(alice, unknown)).rejects.toMatchObject({
        code: 'not_found',
        message: 'document not found',
      })
    for (const user of [dan, undefined])
      await expect(get(user, docId)).rejects.toMatchObject({
        code: 'forbidden',
        message: 'access denied',
      })
  })

  it('are made by editors of the workspace alone', async () => {
    await expect(directory.createDocument(dan, workspace)).rejects.toMatchObject({
      code: 'forbidden',
    })
    await expect(directory.createDocument(alice, 999_999)).rejects.toMatchObject({
      code: 'not_found',
      message: 'workspace not found',
    })
  })

  it('are changed by owners alone, and only as far as a change says', async () => {
    const docId = await directory.createDocument(alice, workspace, { name: 'Before' })
    await expect(update(bob, docId, { name: 'No' })).rejects.toMatchObject({ code: 'forbidden' })
    expect(await update(alice, docId, { name: 'After' })).toEqual({ docId })
    await update(alice, docId, { isPinned: true })
    await update(alice, docId, {})
    expect((await get(alice, docId)).document).toMatchObject({ name: 'After', isPinned: true })
    for (const name of ['a\0b', ''])
      await expect(update(alice, docId, { name })).rejects.toMatchObject({
        code: 'invalid',
        metadata: { field: 'name' },
      })
  })

  it('have url ids that are unique in a site', async () => {
    const docId = await directory.createDocument(alice, workspace, { urlId: 'taken' })
    await expect(
      directory.createDocument(alice, workspace, { urlId: 'taken' }),
    ).rejects.toMatchObject({ code: 'invalid', message: 'urlId already in use' })
    const other = await directory.createDocument(alice, workspace)
    await expect(update(alice, other, { urlId: 'taken' })).rejects.toMatchObject({
      code: 'invalid',
      message: 'urlId already in use',
    })
    for (const urlId of ['123', 'new', 'a b', docId])
      await expect(update(alice, other, { urlId })).rejects.toMatchObject({
        code: 'invalid',
        message: 'invalid urlId',
      })
    await update(alice, docId, { urlId: '' })
    expect((await get(alice, docId)).document?.urlId).toBeUndefined()
    await update(alice, other, { urlId: 'taken' })
    expect((await get(alice, 'taken')).document?.docId).toBe(other)
  })

  it('that were never published give their url id back after a while', async () => {
    const request = { workspaceId: workspace, name: '', isPinned: false, urlId: 'reserved' }
    await directory.clients.documents.createDocument(request, await directory.as(alice))
    await expect(
      directory.createDocument(alice, workspace, { urlId: 'reserved' }),
    ).rejects.toMatchObject({ message: 'urlId already in use' })
    await directory.query(
      `update directory.documents set created_at = now() - interval '2 minutes' where url_id = 'reserved'`,
    )
    await directory.createDocument(alice, workspace, { urlId: 'reserved' })
  })

  it('belong to nobody in particular when the public makes them', async () => {
    await directory.grant('workspace', workspace, { id: 1 }, 'editors')
    const { document, token } = await directory.clients.documents.createDocument(
      { workspaceId: workspace, name: '', isPinned: false },
      await directory.as(),
    )
    const docId = document?.docId ?? ''
    await directory.clients.documents.publishDocument({ docId }, { token })
    expect((await get(undefined, docId)).document?.access).toBe(Role.EDITORS)
    await directory.grant('workspace', workspace, { id: 1 }, null)
  })
})
