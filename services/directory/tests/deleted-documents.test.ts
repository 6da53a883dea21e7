import { randomUUID } from 'node:crypto'
import type { DeletedDocument } from '@sheaf/protos/sheaf/directory/v1/documents'
import { eventually } from '@sheaf/testkit/eventually'
import { TestDirectory, type TestUser } from './test-directory'
import { startTestHome, type TestHome } from './test-home'

let directory: TestDirectory
let home: TestHome
let alice: TestUser
let bob: TestUser
let dan: TestUser
beforeAll(async () => {
  directory = await TestDirectory.start()
  ;[alice, bob, dan] = await directory.addUsers('alice', 'bob', 'dan')
  home = await startTestHome(directory)
})
afterAll(async () => {
  await home[Symbol.asyncDispose]()
  await directory[Symbol.asyncDispose]()
})

/** A site of alice's, where bob is an editor, with a workspace. */
async function createSite(domain: string): Promise<{ org: string; workspaceId: number }> {
  const id = await directory.createOrg(alice, domain)
  await directory.grant('org', id, bob, 'editors')
  return { org: String(id), workspaceId: await directory.createWorkspace(alice, domain) }
}

async function deleteDocument(docId: string, user = alice): Promise<void> {
  const { documents } = directory.clients
  await documents.deleteDocument({ document: docId, site: '' }, await directory.as(user))
}

async function createDeleted(workspaceId: number, name: string): Promise<string> {
  const docId = await directory.createDocument(alice, workspaceId, { name })
  await deleteDocument(docId)
  return docId
}

/** The deleted documents of a site, in pages of two; of all sites for the operator. */
async function list(org?: string, user?: TestUser): Promise<DeletedDocument[]> {
  const call = user ? await directory.as(user) : await directory.system()
  const found: DeletedDocument[] = []
  for (let pageToken: string | undefined, isFirst = true; isFirst || pageToken !== undefined;) {
    isFirst = false
    const request = { org: org === undefined ? undefined : { org, site: '' }, limit: 2, pageToken }
    const page = await directory.clients.documents.listDeletedDocuments(request, call)
    found.push(...page.documents)
    pageToken = page.nextPageToken
  }
  return found
}

async function undelete(user: TestUser | undefined, docId: string, workspaceId: number, name = '') {
  const call = user ? await directory.as(user) : await directory.system()
  const { documents } = directory.clients
  return documents.undeleteDocument({ docId, workspaceId, name }, call)
}

const namesOf = (documents: readonly DeletedDocument[]) => documents.map(({ name }) => name)

describe('documents that were deleted for good', () => {
  it('are listed for the owners of their site, latest first, with who deleted them', async () => {
    const { org, workspaceId } = await createSite('listed')
    for (const name of ['First', 'Second', 'Third', 'Fourth', 'Fifth'])
      await createDeleted(workspaceId, name)
    const found = await list(org, alice)
    expect(namesOf(found)).toEqual(['Fifth', 'Fourth', 'Third', 'Second', 'First'])
    expect(found[0]).toMatchObject({
      orgId: Number(org),
      workspaceId,
      workspaceName: 'Work',
      deletedBy: alice.id,
      deletedByEmail: alice.email,
    })
    const [{ deletedAt = '', keptUntil = '' } = {}] = found
    expect(Date.parse(keptUntil) - Date.parse(deletedAt)).toBe(30 * 24 * 3600 * 1000)
    for (const other of [bob, dan])
      await expect(list(org, other)).rejects.toMatchObject({ code: 'forbidden' })
    await expect(list(undefined, alice)).rejects.toMatchObject({ code: 'not_found' })
  })

  it('are noted with their workspace, with their site, and from the trash', async () => {
    const { workspaces, orgs, documents } = directory.clients
    const { org, workspaceId } = await createSite('cascade')
    const folder = await directory.createWorkspace(alice, 'cascade', 'Folder')
    await directory.createDocument(alice, folder, { name: 'In the folder' })
    const call = await directory.as(alice)
    await workspaces.deleteWorkspace({ workspaceId: folder }, call)
    const [inFolder] = await list(org, alice)
    expect(inFolder).toMatchObject({ workspaceName: 'Folder', deletedBy: alice.id })

    const last = await directory.createDocument(alice, workspaceId, { name: 'In the site' })
    const trashed = await directory.createDocument(alice, workspaceId, { name: 'In the trash' })
    await documents.removeDocument({ document: trashed, site: '' }, call)
    await orgs.deleteOrg({ org: { org, site: '' } }, call)
    await expect(list(org, alice)).rejects.toMatchObject({ code: 'not_found' })
    const { workspaceId: other } = await createSite('elsewhere')
    await expect(undelete(alice, last, other)).rejects.toMatchObject({ code: 'forbidden' })
    expect(
      namesOf(await list())
        .slice(0, 3)
        .sort(),
    ).toEqual(['In the folder', 'In the site', 'In the trash'])
    expect((await undelete(undefined, last, other)).document?.home).toBe(home.name)
  })

  it('are the only ones whose contents are kept', async () => {
    const { workspaceId } = await createSite('kept')
    const { documents } = directory.clients
    const request = { workspaceId, name: 'Reserved', isPinned: false }
    const { document, token } = await documents.createDocument(request, await directory.as(alice))
    const reserved = document?.docId ?? ''
    await documents.discardDocument({ docId: reserved }, { token })
    const docId = await createDeleted(workspaceId, 'Published')
    await eventually(() =>
      Promise.resolve([docId, reserved].every((id) => home.deleted.includes(id))),
    )
    expect(home.kept).toContain(docId)
    expect(home.kept).not.toContain(reserved)
    expect((await list()).map((found) => found.docId)).not.toContain(reserved)
  })

  it('are not removed by an instance that would not keep them: it is told once it is upgraded', async () => {
    const { workspaceId } = await createSite('upgraded')
    const { address, name } = home
    await directory.reportHome({ name, address, protocol: 1 })
    const docId = await createDeleted(workspaceId, 'Kept')
    // One of which nothing is kept.
    const { documents } = directory.clients
    const request = { workspaceId, name: 'Reserved', isPinned: false }
    const { document, token } = await documents.createDocument(request, await directory.as(alice))
    const reserved = document?.docId ?? ''
    await documents.discardDocument({ docId: reserved }, { token })
    const attempts = async () => {
      const asked = `select attempts from directory.outbox where consumer = 'document-data' and doc_id = $1`
      return Number((await directory.query(asked, [docId])).rows[0]?.attempts ?? 0)
    }
    await eventually(async () => (await attempts()) > 1 && home.deleted.includes(reserved))
    expect(home.deleted).not.toContain(docId)
    await directory.reportHome({ name, address })
    await eventually(() => Promise.resolve(home.kept.includes(docId)))
  })

  it('are closed to the owners of the site when they were before', async () => {
    const { org, workspaceId } = await createSite('closed')
    await directory.grant('org', Number(org), bob, 'owners')
    const docId = await directory.createDocument(alice, workspaceId, { name: 'Private' })
    await directory.share(alice, { $case: 'document', value: docId }, {}, null)
    await deleteDocument(docId)
    expect(await list(org, bob)).toEqual([])
    await expect(undelete(bob, docId, workspaceId)).rejects.toMatchObject({ code: 'forbidden' })
    expect(namesOf(await list())).toContain('Private')
  })

  it('are forgotten after their time', async () => {
    const { org, workspaceId } = await createSite('forgotten')
    const docId = await createDeleted(workspaceId, 'Old')
    await directory.query(
      `update directory.deleted_documents set deleted_at = now() - interval '31 days' where doc_id = $1`,
      [docId],
    )
    expect(await list(org, alice)).toEqual([])
    await expect(undelete(alice, docId, workspaceId)).rejects.toMatchObject({
      code: 'not_found',
      reason: 'DELETED_DOCUMENT_NOT_FOUND',
    })
    // Maintenance runs at the start of an instance.
    await directory.startInstance()
    const rows = () =>
      directory.query('select from directory.deleted_documents where doc_id = $1', [docId])
    await eventually(async () => (await rows()).rows.length === 0)
  })
})

describe('a deleted document that is made again', () => {
  it('has a new id, its name or another one, and the caller as its owner', async () => {
    const { org, workspaceId } = await createSite('again')
    const docId = await createDeleted(workspaceId, 'Budget')
    const { documents } = directory.clients
    for (const [name, expected] of [
      ['', 'Budget'],
      ['Rescued', 'Rescued'],
    ] as const) {
      const { document, token } = await undelete(alice, docId, workspaceId, name)
      const made = document?.docId ?? ''
      expect(made).not.toBe(docId)
      await documents.publishDocument({ docId: made }, { token })
      const asked = { document: made, site: '' }
      const found = await documents.getDocument(asked, await directory.as(bob))
      expect(found.document?.name).toBe(expected)
      expect(found.org?.id).toBe(Number(org))
      const { rows } = await directory.query(
        'select user_id from directory.document_grants where document_id = $1',
        [await directory.documentId(made)],
      )
      expect(rows).toEqual([{ user_id: alice.id }])
    }
  })

  it('is refused to whoever does not own its site or may not edit the workspace', async () => {
    const { workspaceId } = await createSite('refused')
    const docId = await createDeleted(workspaceId, 'Budget')
    await expect(undelete(bob, docId, workspaceId)).rejects.toMatchObject({ code: 'forbidden' })
    await expect(undelete(dan, docId, workspaceId)).rejects.toMatchObject({ code: 'forbidden' })
    await expect(undelete(undefined, docId, 999_999)).rejects.toMatchObject({ code: 'not_found' })
    await directory.createOrg(dan, 'dans')
    const dans = await directory.createWorkspace(dan, 'dans')
    await expect(undelete(alice, docId, dans)).rejects.toMatchObject({ code: 'forbidden' })
    for (const unknown of [randomUUID(), 'no uuid'])
      await expect(undelete(alice, unknown, workspaceId)).rejects.toMatchObject({
        code: 'not_found',
      })
  })

  it('belongs to the owners of its workspace when the operator makes it', async () => {
    const { workspaceId } = await createSite('operator')
    const docId = await createDeleted(workspaceId, 'Budget')
    const { document, token } = await undelete(undefined, docId, workspaceId)
    expect(token).toBe('')
    const made = { docId: document?.docId ?? '' }
    const { documents } = directory.clients
    await documents.publishDocument(made, await directory.system())
    const { rows } = await directory.query(
      'select from directory.document_grants where document_id = $1',
      [await directory.documentId(made.docId)],
    )
    expect(rows).toEqual([])
    await deleteDocument(made.docId)
  })

  it('is made where it was without replication, and with it by any live instance', async () => {
    const { workspaceId } = await createSite('homes')
    const docId = await createDeleted(workspaceId, 'Budget')
    const setHome = (name: string) =>
      directory.query('update directory.deleted_documents set home = $2 where doc_id = $1', [
        docId,
        name,
      ])
    await directory.addHome('local-away')
    await setHome('local-away')
    for (let tried = 0; tried < 3; tried++)
      expect((await undelete(alice, docId, workspaceId)).document?.home).toBe('local-away')
    await directory.query(
      `update directory.homes set reported_at = now() - interval '1 hour' where name = 'local-away'`,
    )
    await expect(undelete(alice, docId, workspaceId)).rejects.toMatchObject({ reason: 'NO_HOME' })
    await directory.query(
      `update directory.homes set start_id = 'x', lease_until = now() - interval '1 hour' where name = 'local-away'`,
    )
    expect((await undelete(alice, docId, workspaceId)).document?.home).toBe(home.name)
    await directory.query(`delete from directory.homes where name = 'local-away'`)
  })

  it('is made by an instance that can: not by one of a former release', async () => {
    const { workspaceId } = await createSite('outdated')
    const docId = await createDeleted(workspaceId, 'Budget')
    const { name, address } = home
    const lease = { replicated: true, startId: 'process' }
    const countReserved = async () => {
      const asked = 'select count(*) from directory.documents where published_at is null'
      return Number((await directory.query(asked)).rows[0]?.count)
    }
    const before = await countReserved()
    await directory.reportHome({ name, address, protocol: 1 })
    // Without replication no other one has it.
    await directory.reportHome({ name: 'new', ...lease })
    const tooOld = { code: 'unavailable', reason: 'HOME_TOO_OLD' }
    await expect(undelete(alice, docId, workspaceId)).rejects.toMatchObject(tooOld)
    await directory.reportHome({ name, address, protocol: 1, ...lease })
    for (const other of ['old', 'older'])
      await directory.reportHome({ name: other, protocol: 1, freeBytes: 1e9, ...lease })
    // As one that was deleted with replication.
    await directory.query('update directory.deleted_documents set is_pinned = false')
    for (let tried = 0; tried < 3; tried++)
      expect((await undelete(alice, docId, workspaceId)).document?.home).toBe('new')
    expect(await countReserved()).toBe(before + 3)
    await directory.query(`delete from directory.homes where name = 'new'`)
    await expect(undelete(alice, docId, workspaceId)).rejects.toMatchObject(tooOld)
    expect(await countReserved()).toBe(before + 3)
    await directory.query('delete from directory.homes')
    await directory.reportHome({ name, address })
  })

  it('is made where it was also with replication, if it was on the disk of that instance alone', async () => {
    const { workspaceId } = await createSite('pinned')
    const before = await createDeleted(workspaceId, 'Budget')
    const docId = await directory.createDocument(alice, workspaceId)
    const { name, address } = home
    await directory.reportReplicated(name, { address })
    await deleteDocument(docId)
    await directory.reportReplicated('other')
    await directory.query(`update directory.homes set drained = true where name = $1`, [name])
    for (const deleted of [before, docId])
      for (let tried = 0; tried < 3; tried++)
        expect((await undelete(alice, deleted, workspaceId)).document?.home).toBe(name)
    await directory.endLease(name)
    for (const deleted of [before, docId])
      await expect(undelete(alice, deleted, workspaceId)).rejects.toMatchObject({
        reason: 'NO_HOME',
      })
    await directory.query('delete from directory.homes')
    await directory.reportHome({ name, address })
  })

  it('is for keys that cover its site and the workspace, and change more than documents', async () => {
    const { org, workspaceId } = await createSite('scoped')
    const docId = await createDeleted(workspaceId, 'Budget')
    const whole = await directory.withScope(alice, { orgs: [org] })
    expect(namesOf(await list(org, whole))).toEqual(['Budget'])
    expect((await undelete(whole, docId, workspaceId)).document).toBeDefined()
    const unknown = { code: 'not_found', reason: 'DELETED_DOCUMENT_NOT_FOUND' }
    for (const key of [alice, whole])
      await expect(undelete(key, randomUUID(), workspaceId)).rejects.toMatchObject(unknown)
    const reader = await directory.withScope(alice, { orgs: [org], readOnly: true })
    expect(namesOf(await list(org, reader))).toEqual(['Budget'])
    await expect(undelete(reader, docId, workspaceId)).rejects.toMatchObject({ code: 'forbidden' })
    const part = await directory.withScope(alice, { workspaces: [workspaceId] })
    await expect(list(org, part)).rejects.toMatchObject({ code: 'forbidden' })
    await expect(undelete(part, docId, workspaceId)).rejects.toMatchObject({ code: 'forbidden' })
  })
})
