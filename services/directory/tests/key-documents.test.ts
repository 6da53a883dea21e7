import { eventually } from '@sheaf/testkit/eventually'
import { TestDirectory, type TestUser } from './test-directory'

describe('the documents that a key may have changed', () => {
  let directory: TestDirectory
  let alice: TestUser
  let bob: TestUser
  let workspace: number
  beforeAll(async () => {
    directory = await TestDirectory.start()
    await directory.addHome()
    ;[alice, bob] = await directory.addUsers('alice', 'bob')
    const org = await directory.createOrg(alice, 'key-documents')
    workspace = await directory.createWorkspace(alice, org)
  })
  afterAll(() => directory[Symbol.asyncDispose]())

  /** A new key of a user, and its id. */
  const newKey = async (of: TestUser): Promise<TestUser & { keyId: number }> => {
    const call = await directory.as(of)
    const request = { userId: of.id, name: 'traced', expiresAt: '' }
    const { key, apiKey } = await directory.clients.keys.createKey(request, call)
    return { ...of, key, keyId: apiKey?.id ?? 0 }
  }
  const list = async (keyId: number, user: TestUser = alice) => {
    const call = await directory.as(user)
    const { documents } = await directory.clients.keys.listKeyDocuments({ keyId }, call)
    return documents.map(({ docId }) => docId)
  }
  const use = (user: TestUser, document: string) => directory.resolve(user, { document })

  it('are those on which it was used as an editor, latest first, also once it is revoked', async () => {
    const key = await newKey(alice)
    const [first, second] = [
      await directory.createDocument(alice, workspace),
      await directory.createDocument(alice, workspace),
    ]
    expect(await list(key.keyId)).toEqual([])
    await use(key, first)
    await eventually(async () => (await list(key.keyId)).length === 1)
    await use(key, second)
    await eventually(async () => expect(await list(key.keyId)).toEqual([second, first]))
    const keyRef = { $case: 'keyId', value: key.keyId } as const
    await directory.clients.keys.revokeKey({ keyRef }, await directory.as(alice))
    expect(await list(key.keyId)).toHaveLength(2)
  })

  it('are not those on which it or its user can only read, or that are gone', async () => {
    const [read, gone, kept] = [
      await directory.createDocument(alice, workspace),
      await directory.createDocument(alice, workspace),
      await directory.createDocument(alice, workspace),
    ]
    const key = await newKey(alice)
    const reader = await directory.withScope(alice, { readOnly: true })
    await use(reader, read)
    for (const document of [gone, kept]) await use(key, document)
    await eventually(async () => (await list(key.keyId)).length === 2)
    await directory.query('delete from directory.documents where doc_id = $1', [gone])
    expect(await list(key.keyId)).toEqual([kept])
    const { rows } = await directory.query(
      `select 1 from directory.key_documents r join directory.documents d on d.id = r.document_id
       join directory.api_keys k on k.id = r.key_id where d.doc_id = $1 and k.read_only`,
      [read],
    )
    expect(rows).toEqual([])
  })

  it('are at most 100', async () => {
    const key = await newKey(alice)
    const documents: string[] = []
    // One after the other: at once they would wait for connections to the database longer than a call may.
    while (documents.length < 102) documents.push(await directory.createDocument(alice, workspace))
    await directory.query(
      `insert into directory.key_documents (key_id, document_id, used_at)
       select $1, id, now() - interval '1 hour' from directory.documents where doc_id = any($2)`,
      [key.keyId, documents.slice(1)],
    )
    await use(key, documents[0] ?? '')
    await eventually(async () => (await list(key.keyId))[0] === documents[0])
    await eventually(async () => {
      const { rows } = await directory.query(
        'select count(*) from directory.key_documents where key_id = $1',
        [key.keyId],
      )
      return (rows[0] as { count: string }).count === '100'
    })
  })

  it('are for the owner of the key alone', async () => {
    const key = await newKey(alice)
    const unknown = { code: 'not_found', reason: 'KEY_NOT_FOUND' }
    await expect(list(key.keyId, bob)).rejects.toMatchObject(unknown)
    await expect(list(0)).rejects.toMatchObject(unknown)
    await expect(list(99_999)).rejects.toMatchObject(unknown)
  })
})
