import { TestDirectory, type TestUser } from './test-directory'

describe('preferences in a document', () => {
  let directory: TestDirectory
  let alice: TestUser
  let carol: TestUser
  let dan: TestUser
  let workspaceId: number
  let document: string
  beforeAll(async () => {
    directory = await TestDirectory.start()
    ;[alice, carol, dan] = await directory.addUsers('alice', 'carol', 'dan')
    await directory.addHome()
    workspaceId = await directory.createWorkspace(alice, await directory.createOrg(alice, 'bench'))
    document = await directory.createDocument(alice, workspaceId)
    await directory.grantDocument(document, carol, 'viewers')
  })
  afterAll(() => directory[Symbol.asyncDispose]())

  const parse = (json: Uint8Array) => JSON.parse(Buffer.from(json).toString()) as unknown
  const read = async (user: TestUser | undefined, docId = document) => {
    const request = { document: docId, site: '' }
    const call = await directory.as(user)
    return parse(
      (await directory.clients.documents.getDocumentPreferences(request, call)).preferencesJson,
    )
  }
  const patch = async (user: TestUser | undefined, json: unknown, docId = document) => {
    const request = { document: docId, site: '', patchJson: Buffer.from(JSON.stringify(json)) }
    const call = await directory.as(user)
    const stored = await directory.clients.documents.updateDocumentPreferences(request, call)
    return parse(stored.preferencesJson)
  }
  const countRows = async () => {
    const { rows } = await directory.query(
      'select count(*)::integer as count from directory.user_document_preferences',
    )
    return Number(rows[0]?.count)
  }

  it('are those of one user, changed by merge patches', async () => {
    expect(await read(carol)).toEqual({})
    expect(await patch(carol, { tables: { A: { w: 1 }, B: 'é\0\ud800' } })).toEqual({
      tables: { A: { w: 1 }, B: 'é\0\ud800' },
    })
    await patch(alice, { other: true })
    const merged = { tables: { A: { w: 1, h: 2 } } }
    expect(await patch(carol, { tables: { A: { h: 2 }, B: null } })).toEqual(merged)
    expect(await read(carol)).toEqual(merged)
    expect(await read(alice)).toEqual({ other: true })
  })

  it('keep all members that are patched at the same time', async () => {
    const names = Array.from({ length: 12 }, (_, index) => `n${index}`)
    const docId = await directory.createDocument(alice, workspaceId)
    await Promise.all(names.map((name) => patch(alice, { [name]: name }, docId)))
    expect(await read(alice, docId)).toEqual(Object.fromEntries(names.map((name) => [name, name])))
  })

  it('need a signed-in user who can view the document, and a key without a scope', async () => {
    await directory.grantDocument(document, { id: 2 }, 'viewers')
    const readOnly = await directory.withScope(alice, { readOnly: true })
    const confined = await directory.withScope(alice, { orgs: ['bench'] })
    for (const call of [read, (user: TestUser | undefined) => patch(user, { x: 1 })]) {
      await expect(call(undefined)).rejects.toMatchObject({ reason: 'SIGN_IN_NEEDED' })
      for (const key of [readOnly, confined])
        await expect(call(key)).rejects.toMatchObject({ reason: 'KEY_SCOPE' })
    }
    await directory.grantDocument(document, { id: 2 }, null)
    await expect(read(dan)).rejects.toMatchObject({ reason: 'ACCESS_DENIED' })
    await expect(patch(dan, {})).rejects.toMatchObject({ reason: 'ACCESS_DENIED' })
    const none = { reason: 'DOCUMENT_NOT_FOUND' }
    await expect(read(alice, 'no-such-document')).rejects.toMatchObject(none)
  })

  it('are an object within bounds, or stay as they were', async () => {
    const docId = await directory.createDocument(alice, workspaceId)
    await patch(alice, { a: 'x'.repeat(20_000) }, docId)
    const deep = JSON.parse(`${'{"a":'.repeat(70)}1${'}'.repeat(70)}`) as object
    for (const [json, message] of [
      [[], 'patch_json must be a JSON object'],
      [null, 'patch_json must be a JSON object'],
      [{ b: 'x'.repeat(40_000) }, 'patch_json must not exceed 32768 bytes'],
      [{ b: 'x'.repeat(20_000) }, 'preferences must not exceed 32768 bytes'],
      [deep, 'patch_json is nested too deeply'],
    ])
      await expect(patch(alice, json, docId)).rejects.toMatchObject({
        reason: 'BAD_FIELD',
        message,
      })
    expect(await read(alice, docId)).toEqual({ a: 'x'.repeat(20_000) })
  })

  it('are kept in the 1,000 documents where they were changed last', async () => {
    const erin = await directory.addUser('erin')
    const docId = await directory.createDocument(
      erin,
      await directory.createWorkspace(erin, 'docs'),
    )
    await directory.query(`
      insert into directory.documents (doc_id, org_id, workspace_id, name, home)
      select gen_random_uuid(), d.org_id, d.workspace_id, 'x', d.home
      from directory.documents d, generate_series(1, 1001) where d.doc_id = '${docId}';
      insert into directory.user_document_preferences (user_id, document_id, preferences, updated_at)
      select ${erin.id}, d.id, '{}', now() - interval '1 day' + d.id * interval '1 second'
      from directory.documents d join directory.documents t using (workspace_id)
      where t.doc_id = '${docId}' and d.doc_id <> t.doc_id`)
    const before = await countRows()
    await patch(erin, { a: 1 }, docId)
    expect(await countRows()).toBe(before - 1)
    const { rows } = await directory.query(
      `select min(document_id) - (select id from directory.documents where doc_id = $1) as oldest
       from directory.user_document_preferences where user_id = $2 and preferences = '{}'`,
      [docId, erin.id],
    )
    expect(Number(rows[0]?.oldest)).toBe(3)
    expect(await patch(erin, { b: 2 }, docId)).toEqual({ a: 1, b: 2 })
    await directory.query('delete from directory.users where id = $1', [erin.id])
    expect(await countRows()).toBe(before - 1001)
  })

  it('are read, and not changed, of a document in the trash', async () => {
    const docId = await directory.createDocument(alice, workspaceId)
    await patch(alice, { a: 1 }, docId)
    const call = await directory.as(alice)
    await directory.clients.documents.removeDocument({ document: docId, site: '' }, call)
    expect(await read(alice, docId)).toEqual({ a: 1 })
    await expect(patch(alice, { b: 2 }, docId)).rejects.toMatchObject({ code: 'not_found' })
  })

  it('are deleted with their document', async () => {
    const docId = await directory.createDocument(alice, workspaceId)
    const before = await countRows()
    await patch(alice, { a: 1 }, docId)
    expect(await countRows()).toBe(before + 1)
    const call = await directory.as(alice)
    await directory.clients.documents.deleteDocument({ document: docId, site: '' }, call)
    expect(await countRows()).toBe(before)
  })
})
