import { eventually } from '@sheaf/testkit/eventually'
import { createRest, type Rest } from '@sheaf/testkit/rest'
import { add, useAgents } from '../support/agents'
import { addTable, newDocument } from '../support/system'

interface Change {
  readonly seq: number
  readonly keyId?: number | null
}

const agents = useAgents()

/** A new key of alice: its id, and itself. */
async function newKey(): Promise<{ id: number; key: string; rest: Rest }> {
  const { rest } = agents.system.alice
  const body = { name: 'traced' }
  const made = await rest.post<{ id: number; key: string }>('/api/profile/apikeys', { body })
  const { id, key } = made.body
  return { id, key, rest: createRest(agents.system.sheaf.url, key) }
}

const history = async (query: object): Promise<{ changes: Change[]; next: number | null }> => {
  const path = `${agents.doc}/history`
  const { rest } = agents.system.alice
  return (await rest.get<{ changes: Change[]; next: number | null }>(path, { query: { ...query } }))
    .body
}

it('a change has the id of the key that made it, whichever way it was written', async () => {
  const { doc, docId } = agents
  const { id, key, rest } = await newKey()
  const body = { records: [{ fields: { Name: 'Eve' } }] }
  await rest.post(`${doc}/tables/Boats/records`, { body })
  await rest.post(`${doc}/batch`, { body: { operations: add('Fay') } })
  await rest.post(`${doc}/apply`, { body: [['AddRecord', 'Boats', null, { Name: 'Gil' }]] })
  const client = await agents.connect(key)
  await agents.call(client, 'write', { docId, operations: add('Hal') })
  expect(await agents.boats()).toHaveLength(7)

  const { changes, next } = await history({ keyId: id })
  expect(changes.map(({ seq, keyId }) => [seq, keyId])).toEqual([
    [7, id],
    [6, id],
    [5, id],
    [4, id],
  ])
  expect(next).toBeNull()
  expect((await history({ keyId: id, limit: 1 })).next).toBe(7)
  const undone = await rest.post<{ seq: number }>(`${doc}/changes/7/revert`)
  expect((await history({ keyId: id, limit: 1 })).changes).toMatchObject([
    { seq: undone.body.seq, keyId: id },
  ])
  const shown = await agents.call(client, 'list_history', { docId, keyId: id, limit: 1 })
  expect(shown.json).toMatchObject({ changes: [{ seq: undone.body.seq, keyId: id }] })
})

it('the id 0 is no key: the history of all keys is not that of one', async () => {
  const { rest } = agents.system.alice
  const { status, body } = await rest.get<{ error: string }>(`${agents.doc}/history`, {
    query: { keyId: 0 },
  })
  expect([status, body.error]).toEqual([400, 'keyId parameter must be a positive integer: 0'])
})

it('a document has the key that created it in its first change', async () => {
  const { id, rest } = await newKey()
  const [workspace] = (await rest.get<{ id: number }[]>('/api/orgs/current/workspaces')).body
  const path = `/api/workspaces/${workspace?.id}/docs`
  const { body: made } = await rest.post<string>(path, { body: { name: 'Made' } })
  const { body } = await rest.get<{ changes: Change[] }>(`/api/docs/${made}/history`)
  expect(body.changes).toMatchObject([{ seq: 1, keyId: id }])
})

it('keys of changes are for editors, and absent for viewers', async () => {
  const { doc, system } = agents
  const { email, rest: dan } = system.dan
  const delta = { users: { [email]: 'viewers' } }
  await system.alice.rest.patch(`${doc}/access`, { body: { delta } })
  const read = (rest: Rest) =>
    rest.get<{ changes: Change[] }>(`${doc}/changes`, { query: { since: 2 } })
  const [seen] = (await read(dan)).body.changes
  expect(seen).toMatchObject({ seq: 3 })
  expect(seen).not.toHaveProperty('keyId')
  const [whole] = (await read(system.alice.rest)).body.changes
  expect(whole?.keyId).toEqual(expect.any(Number))
})

it('changes without a key have none', async () => {
  const { doc, system } = agents
  const delta = { users: { 'everyone@getgrist.com': 'editors' } }
  await system.alice.rest.patch(`${doc}/access`, { body: { delta } })
  const body = { records: [{ fields: { Name: 'Eve' } }] }
  expect((await system.anonymous.post(`${doc}/tables/Boats/records`, { body })).status).toBe(200)
  const { changes } = await history({ limit: 1 })
  expect(changes).toMatchObject([{ seq: 4, keyId: null }])
})

describe('the changes of a key in all documents', () => {
  interface Listed {
    readonly docId: string
    readonly docName: string
    readonly seq: number
    readonly tables: readonly object[]
  }
  interface Page {
    readonly changes: readonly Listed[]
    readonly next: string | null
    readonly unavailable: readonly object[]
  }
  const list = (keyId: number, query: object = {}, rest = agents.system.alice.rest) =>
    rest.get<Page>(`/api/profile/apikeys/${keyId}/changes`, { query: { ...query } })
  const addBoats = (rest: Rest, doc: string, ...names: string[]) => {
    const records = names.map((Name) => ({ fields: { Name } }))
    return rest.post(`${doc}/tables/Boats/records`, { body: { records } })
  }
  /** Another document with the same table. */
  const otherDocument = async (): Promise<string> => {
    const { rest } = agents.system.alice
    const other = await newDocument(rest, 'Quay')
    await addTable(rest, other, 'Boats', { Name: 'Text' })
    return other
  }

  it('are listed with their documents, newest first, in pages, and can be undone', async () => {
    const { doc, docId, system } = agents
    const other = await otherDocument()
    const { id, rest } = await newKey()
    await addBoats(rest, doc, 'Eve', 'Fay')
    await addBoats(system.alice.rest, doc, 'Own')
    await addBoats(rest, other, 'Gil')
    await rest.delete(`${doc}/tables/Boats/columns/Berth`)
    await eventually(async () => (await list(id)).body.changes.length === 3)

    const { body } = await list(id)
    const boats = { tableId: 'Boats', tableRef: 2 }
    const none = { addedRows: 0, updatedRows: 0, removedRows: 0, structure: false }
    const harbour = { docId, docName: 'Harbour', cause: 'api' }
    const time = expect.stringMatching(/Z$/) as string
    expect(body).toEqual({
      changes: [
        { ...harbour, seq: 6, time, tables: [{ ...boats, ...none, structure: true }] },
        {
          docId: other.slice('/api/docs/'.length),
          docName: 'Quay',
          cause: 'api',
          seq: 3,
          time,
          tables: [{ ...boats, ...none, addedRows: 1 }],
        },
        { ...harbour, seq: 4, time, tables: [{ ...boats, ...none, addedRows: 2 }] },
      ],
      next: null,
      unavailable: [],
    })

    const seqs: number[] = []
    for (let cursor: string | undefined; ;) {
      const page: Page = (await list(id, { limit: 1, cursor })).body
      seqs.push(...page.changes.map(({ seq }) => seq))
      if (page.next === null) break
      cursor = page.next
    }
    expect(seqs).toEqual([6, 3, 4])

    expect((await system.alice.rest.post(`${doc}/changes/4/revert`)).status).toBe(200)
    expect(await agents.boats()).toHaveLength(4)
  })

  it('are those of its own keys, also revoked ones, in documents that one may edit', async () => {
    const { doc, system } = agents
    const { email, rest: dan } = system.dan
    const give = (role: string | null) =>
      system.alice.rest.patch(`${doc}/access`, { body: { delta: { users: { [email]: role } } } })
    await give('editors')
    const body = { name: 'lent' }
    const made = await dan.post<{ id: number; key: string }>('/api/profile/apikeys', { body })
    const { id, key } = made.body
    await addBoats(createRest(system.sheaf.url, key), doc, 'Eve')
    await eventually(async () => (await list(id, {}, dan)).body.changes.length === 1)
    expect((await dan.delete(`/api/profile/apikeys/${id}`)).status).toBe(200)
    expect((await list(id, {}, dan)).body.changes).toMatchObject([{ seq: 4 }])
    await give('viewers')
    expect((await list(id, {}, dan)).body).toEqual({ changes: [], next: null, unavailable: [] })

    const unknown = { status: 404, body: { details: { reason: 'KEY_NOT_FOUND' } } }
    expect(await list(id)).toMatchObject(unknown)
    for (const [query, parameter] of [
      [{ limit: 101 }, 'limit'],
      [{ cursor: 'x' }, 'cursor'],
    ] as const)
      expect(await list(id, query, dan)).toMatchObject({
        status: 400,
        body: { details: { reason: 'INVALID_PARAMETER', parameter } },
      })
  })
})
