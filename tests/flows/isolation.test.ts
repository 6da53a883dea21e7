import { createRest } from '@sheaf/testkit/rest'
import {
  addRecords,
  addTable,
  emailOf,
  homeWorkspace,
  newDocument,
  readRecords,
  useSystem,
} from '../support/system'

const system = useSystem()

describe("another user's key", () => {
  it('reads nothing and writes nothing', async () => {
    const { alice, dan } = system
    const doc = await newDocument(alice.rest)
    await addTable(alice.rest, doc, 'Secrets', { Word: 'Text' })
    const table = `${doc}/tables/Secrets`
    await addRecords(alice.rest, table, [{ Word: 'sesame' }])
    const before = (await alice.rest.get(`${table}/records`)).raw.toString()
    const workspace = `/api/workspaces/${await homeWorkspace(alice.rest)}`
    const attempts = [
      dan.rest.get(doc),
      dan.rest.patch(doc, { body: { name: 'Mine' } }),
      dan.rest.get(`${doc}/tables`),
      dan.rest.post(`${doc}/tables`, { body: { tables: [{ id: 'X', columns: [{ id: 'A' }] }] } }),
      dan.rest.get(`${table}/columns`),
      dan.rest.post(`${table}/columns`, { body: { columns: [{ id: 'B' }] } }),
      dan.rest.get(`${table}/records`),
      dan.rest.post(`${table}/records`, { body: { records: [{ fields: { Word: 'x' } }] } }),
      dan.rest.patch(`${table}/records`, { body: { records: [{ id: 1, fields: { Word: 'x' } }] } }),
      dan.rest.post(`${table}/records/delete`, { body: [1] }),
      dan.rest.get(workspace),
      dan.rest.patch(workspace, { body: { name: 'Mine' } }),
      dan.rest.post(`${workspace}/docs`, { body: { name: 'Mine' } }),
    ]
    for (const attempt of attempts) {
      const { status, raw } = await attempt
      expect([status, raw.toString()]).toEqual([403, expect.not.stringContaining('sesame')])
    }
    expect((await alice.rest.get(`${table}/records`)).raw.toString()).toBe(before)
    const orgs = await dan.rest.get<{ owner: { id: number } }[]>('/api/orgs')
    expect(orgs.body.map(({ owner }) => owner.id)).toEqual([dan.id])
  })

  it('is refused for a document whose id was guessed, in each of its three forms', async () => {
    const { alice, dan } = system
    const doc = await newDocument(alice.rest)
    const { id, urlId } = (await alice.rest.get<{ id: number; urlId: string }>(doc)).body
    for (const form of [doc, `/api/docs/${id}`, `/api/docs/${urlId}`]) {
      expect((await alice.rest.get(`${form}/tables`)).status).toBe(200)
      expect((await dan.rest.get(`${form}/tables`)).status).toBe(403)
    }
  })
})

describe('a call without a good key', () => {
  it('is refused: no key 403, a bad one 401', async () => {
    const { alice, anonymous, sheaf } = system
    const doc = await newDocument(alice.rest)
    expect((await anonymous.get(`${doc}/tables`)).status).toBe(403)
    expect((await createRest(sheaf.url, 'shf_nonsense').get(`${doc}/tables`)).status).toBe(401)
    expect((await createRest(sheaf.url, `${sheaf.ownerKey}x`).get('/api/orgs')).status).toBe(401)
  })
})

describe('a key that was revoked', () => {
  it('is refused by the very next request', async () => {
    const { sheaf } = system
    const { key } = await sheaf.createUser(emailOf('carol'), 'Carol')
    const carol = createRest(sheaf.url, key)
    const doc = await newDocument(carol)
    await addTable(carol, doc, 'Notes', { Text: 'Text' })
    for (let time = 0; time < 3; time++) await readRecords(carol, `${doc}/tables/Notes`)
    await sheaf.operate('keys', 'revoke', key)
    expect((await carol.get(`${doc}/tables/Notes/records`)).status).toBe(401)
    expect((await carol.get('/api/orgs')).status).toBe(401)
  })
})
