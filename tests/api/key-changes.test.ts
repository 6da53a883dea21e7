import { createRest, type Rest } from '@sheaf/testkit/rest'
import { add, useAgents } from '../support/agents'

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
