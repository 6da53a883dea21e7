import { createTokenVerifier } from '@sheaf/auth/caller-token'
import { Role } from '@sheaf/protos/sheaf/directory/v1/access'
import type { JSONWebKeySet } from 'jose'
import { resolveRequest, TestDirectory, type TestUser } from './test-directory'

describe('the key of a form', () => {
  let directory: TestDirectory
  let alice: TestUser
  let bob: TestUser
  let carol: TestUser
  let dan: TestUser
  let workspace: number
  let doc: string
  beforeAll(async () => {
    directory = await TestDirectory.start()
    ;[alice, bob, carol, dan] = await directory.addUsers('alice', 'bob', 'carol', 'dan')
    await directory.addHome()
    workspace = await directory.createWorkspace(alice, await directory.createOrg(alice, 'bench'))
    doc = await createDocument()
  })
  afterAll(() => directory[Symbol.asyncDispose]())

  async function createDocument(): Promise<string> {
    const docId = await directory.createDocument(alice, workspace)
    await directory.grantDocument(docId, bob, 'editors')
    await directory.grantDocument(docId, carol, 'viewers')
    return docId
  }
  const named = (document: string, viewId = 1) => ({ document, site: '', viewId })
  const create = async (
    user: TestUser | undefined,
    document: string,
    renew = false,
    viewId = 1,
  ) => {
    const request = { ...named(document, viewId), renew }
    const { key } = await directory.clients.forms.createFormKey(request, await directory.as(user))
    return key?.key ?? ''
  }
  const find = async (user: TestUser | undefined, document: string, viewId = 1) =>
    (await directory.clients.forms.getFormKey(named(document, viewId), await directory.as(user)))
      .key?.key
  const remove = async (user: TestUser | undefined, document: string) =>
    directory.clients.forms.deleteFormKey(named(document), await directory.as(user))
  const resolve = (key: string, document = '') =>
    directory.clients.access.resolveAccess(
      resolveRequest({ credential: { $case: 'formKey', value: key }, document }),
    )
  const unknown = { code: 'not_found', reason: 'FORM_NOT_FOUND', message: 'form not found' }

  it('grants the anonymous user one form, and no role', async () => {
    const key = await create(alice, doc, false, 7)
    const answer = await resolve(key)
    expect(answer).toMatchObject({
      caller: { anonymous: true, system: false },
      document: { docId: doc, role: Role.UNSPECIFIED, unscopedRole: Role.UNSPECIFIED },
      formViewId: 7,
    })
    const { jwks } = await directory.clients.access.listVerificationKeys({})
    const verifier = createTokenVerifier(() => Promise.resolve(JSON.parse(jwks) as JSONWebKeySet))
    const claims = await verifier.verify(answer.token)
    expect(claims).toMatchObject({ anonymous: true, docId: doc, formViewId: 7 })
    expect(claims.role).toBeUndefined()
    expect(claims.keyId).toBeUndefined()
    // Directory does not take the token for more than that of the anonymous user.
    const call = { token: answer.token }
    await expect(
      directory.clients.documents.getDocument({ document: doc, site: '' }, call),
    ).rejects.toMatchObject({ code: 'forbidden' })
  })

  it('is the same until an owner renews it, and then ends', async () => {
    const first = await create(alice, doc)
    expect(await create(alice, doc)).toBe(first)
    expect(await find(bob, doc)).toBe(first)
    const second = await create(alice, doc, true)
    expect(second).not.toBe(first)
    await expect(resolve(first)).rejects.toMatchObject(unknown)
    expect((await resolve(second)).document?.docId).toBe(doc)
  })

  it('is one key for calls at the same time', async () => {
    const document = await createDocument()
    const keys = await Promise.all(Array.from({ length: 5 }, () => create(alice, document)))
    expect(new Set(keys)).toEqual(new Set([await find(alice, document)]))
  })

  it('is made and ended by owners, and seen by editors', async () => {
    const document = await createDocument()
    for (const user of [bob, carol, dan, undefined]) {
      await expect(create(user, document)).rejects.toMatchObject({ code: 'forbidden' })
      await expect(remove(user, document)).rejects.toMatchObject({ code: 'forbidden' })
    }
    const scoped = await directory.withScope(alice, { documents: [document] })
    await expect(create(scoped, document)).rejects.toMatchObject({ reason: 'KEY_SCOPE' })
    await create(alice, document)
    for (const user of [alice, bob]) expect(await find(user, document)).toMatch(/^[\w-]{32}$/)
    for (const user of [carol, dan, undefined])
      await expect(find(user, document)).rejects.toMatchObject({ code: 'forbidden' })
    await expect(create(alice, 'no-such-document')).rejects.toMatchObject({
      reason: 'DOCUMENT_NOT_FOUND',
    })
    await expect(create(alice, document, false, 0)).rejects.toMatchObject({ reason: 'BAD_FIELD' })
  })

  it('answers alike when it is unknown, malformed, switched off, or of a document that is gone', async () => {
    const document = await createDocument()
    const key = await create(alice, document)
    const call = await directory.as(alice)
    await expect(resolve(key, document)).rejects.toMatchObject(unknown)
    await expect(resolve('x'.repeat(32))).rejects.toMatchObject(unknown)
    await expect(resolve('')).rejects.toMatchObject(unknown)
    await directory.clients.documents.removeDocument({ document, site: '' }, call)
    await expect(resolve(key)).rejects.toMatchObject(unknown)
    await directory.clients.documents.restoreDocument({ document, site: '' }, call)
    expect((await resolve(key)).formViewId).toBe(1)
    await remove(alice, document)
    await remove(alice, document)
    expect(await find(alice, document)).toBeUndefined()
    await expect(resolve(key)).rejects.toMatchObject(unknown)
    const again = await create(alice, document)
    await directory.clients.documents.deleteDocument({ document, site: '' }, call)
    await expect(resolve(again)).rejects.toMatchObject(unknown)
  })

  it('is in the audit log when it is created, renewed and switched off, with the author and the form', async () => {
    const document = await createDocument()
    await create(alice, document)
    await create(alice, document)
    await expect(create(bob, document, true)).rejects.toThrow()
    await create(alice, document, true)
    await remove(alice, document)
    await remove(alice, document)
    const id = await directory.documentId(document)
    expect((await directory.auditOf('document', id)).slice(-3)).toEqual([
      'alice form_link_created - - -',
      'alice form_link_renewed - - -',
      'alice form_link_removed - - -',
    ])
    const { rows } = await directory.query(
      `select distinct view_id::integer as view from directory.access_audit
       where resource_id = $1 and what like 'form_link%'`,
      [id],
    )
    expect(rows).toEqual([{ view: 1 }])
  })

  it('drops what gateways have cached when it ends, and not when it is new', async () => {
    const document = await createDocument()
    const key = await create(alice, document)
    const { accessVersion } = await resolve(key)
    await create(alice, document, false, 2)
    expect((await resolve(key)).accessVersion).toBe(accessVersion)
    await create(alice, document, true, 2)
    expect((await resolve(key)).accessVersion).toBeGreaterThan(accessVersion)
  })
})
