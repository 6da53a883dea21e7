import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { eventually } from '@sheaf/testkit/eventually'
import { createRest, type Rest } from '@sheaf/testkit/rest'
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

const fileOf = (doc: string) => {
  const docId = doc.replace('/api/docs/', '')
  return join(system.sheaf.dataDir, 'documents', docId.slice(0, 2), docId, 'document.sqlite')
}
const newWorkspace = async (rest: Rest, name = 'Folder') => {
  const { body } = await rest.post<number>('/api/orgs/current/workspaces', { body: { name } })
  return body
}
const newDocumentIn = async (rest: Rest, workspace: number, name = 'Inside') => {
  const { body } = await rest.post<string>(`/api/workspaces/${workspace}/docs`, { body: { name } })
  return `/api/docs/${body}`
}

describe('the trash', () => {
  it('keeps a document and its rows until it is taken out, whoever asks', async () => {
    const { rest } = system.alice
    const doc = await newDocument(rest)
    await addRecords(rest, `${doc}/tables/Table1`, [{ A: 'kept' }])
    expect((await rest.post(`${doc}/remove`)).body).toBeNull()
    expect((await rest.get(doc)).status).toBe(404)
    expect(await rest.get(`${doc}/tables/Table1/records`)).toMatchObject({
      status: 404,
      body: { error: 'Document is deleted' },
    })
    expect((await rest.get(doc, { query: { showRemoved: 1 } })).body).toMatchObject({
      removedAt: expect.any(String) as string,
    })
    expect((await rest.post(`${doc}/unremove`)).body).toBeNull()
    expect(await readRecords(rest, `${doc}/tables/Table1`)).toHaveLength(1)
  })

  it('lists what is in it, and nothing else', async () => {
    const { rest } = system.alice
    const workspace = await newWorkspace(rest, 'Soft')
    await newDocumentIn(rest, workspace, 'Soft inside')
    await rest.post(`/api/workspaces/${workspace}/remove`)
    const list = async (showRemoved: number) => {
      const query = { showRemoved }
      const { body } = await rest.get<{ id: number; docs: { name: string }[] }[]>(
        '/api/orgs/current/workspaces',
        { query },
      )
      return body.find(({ id }) => id === workspace)
    }
    expect(await list(0)).toBeUndefined()
    expect((await list(1))?.docs.map(({ name }) => name)).toEqual(['Soft inside'])
    await rest.post(`/api/workspaces/${workspace}/unremove`)
    expect((await list(0))?.docs.map(({ name }) => name)).toEqual(['Soft inside'])
    expect(await list(1)).toBeUndefined()
  })
})

describe('deleting', () => {
  it.each([
    ['DELETE', (rest: Rest, path: string) => rest.delete(path)],
    [
      'a permanent removal',
      (rest: Rest, path: string) => rest.post(`${path}/remove`, { query: { permanent: 1 } }),
    ],
  ])('a document by %s takes its file', async (_, remove) => {
    const { rest } = system.alice
    const doc = await newDocument(rest)
    expect(existsSync(fileOf(doc))).toBe(true)
    expect((await remove(rest, doc)).body).toBe(doc.replace('/api/docs/', ''))
    expect((await rest.get(doc)).status).toBe(404)
    expect((await rest.get(`${doc}/tables`)).status).toBe(404)
    await eventually(() => !existsSync(fileOf(doc)))
  })

  it('a workspace or a team site takes all documents in it', async () => {
    const { rest } = system.alice
    await rest.post('/api/orgs', { body: { name: 'Short-lived', domain: 'shortlived' } })
    const site = { site: 'shortlived' }
    const { body: workspaces } = await rest.get<{ id: number }[]>(
      '/api/orgs/current/workspaces',
      site,
    )
    const inOrg = await newDocumentIn(rest, workspaces[0]?.id ?? 0)
    const workspace = await newWorkspace(rest)
    const inWorkspace = await newDocumentIn(rest, workspace)

    expect((await system.dan.rest.delete('/api/orgs/shortlived')).status).toBe(403)
    expect((await rest.delete('/api/orgs/shortlived/Another')).status).toBe(400)
    expect((await rest.delete(`/api/workspaces/${workspace}`)).body).toBe(workspace)
    expect((await rest.delete('/api/orgs/shortlived/Short-lived')).status).toBe(200)
    expect((await rest.get('/api/orgs/shortlived')).status).toBe(404)
    for (const doc of [inOrg, inWorkspace]) {
      expect((await rest.get(`${doc}/tables`)).status).toBe(404)
      await eventually(() => !existsSync(fileOf(doc)))
    }
  })

  it('a personal site is refused', async () => {
    expect((await system.alice.rest.delete('/api/orgs/docs')).status).toBe(400)
    expect((await system.alice.rest.get('/api/orgs/docs')).status).toBe(200)
  })
})

describe('a copy', () => {
  it('has the rows of the original and goes its own way', async () => {
    const { rest } = system.alice
    const doc = await newDocument(rest, 'Original')
    await addTable(rest, doc, 'Words', { T: 'Text' })
    await addRecords(rest, `${doc}/tables/Words`, [{ T: 'one' }, { T: 'two' }])
    const workspaceId = await newWorkspace(rest, 'Copies')
    const copy = async (body: object) =>
      `/api/docs/${(await rest.post<string>(`${doc}/copy`, { body })).body}`

    const whole = await copy({ workspaceId })
    expect((await rest.get(whole)).body).toMatchObject({
      name: 'Original (copy)',
      access: 'owners',
      workspace: { id: workspaceId },
    })
    await addRecords(rest, `${whole}/tables/Words`, [{ T: 'three' }])
    expect(await readRecords(rest, `${whole}/tables/Words`)).toHaveLength(3)
    expect(await readRecords(rest, `${doc}/tables/Words`)).toHaveLength(2)

    // A name that is too long for the suffix is cut between characters.
    await rest.patch(doc, { body: { name: `${'x'.repeat(248)}🌍` } })
    expect((await rest.get<{ name: string }>(await copy({ workspaceId }))).body.name).toBe(
      `${'x'.repeat(248)} (copy)`,
    )

    const template = await copy({ workspaceId, documentName: 'Empty', asTemplate: true })
    expect((await rest.get<{ name: string }>(template)).body.name).toBe('Empty')
    expect(await readRecords(rest, `${template}/tables/Words`)).toEqual([])
  })

  it('needs a document that can be seen, and a workspace that can be added to', async () => {
    const doc = await newDocument(system.alice.rest)
    const own = await homeWorkspace(system.alice.rest)
    const other = await homeWorkspace(system.dan.rest)
    const status = async (rest: Rest, body: object) =>
      (await rest.post(`${doc}/copy`, { body })).status
    expect(await status(system.dan.rest, { workspaceId: other })).toBe(403)
    expect(await status(system.alice.rest, { workspaceId: other })).toBe(403)
    expect(await status(system.alice.rest, { workspaceId: 99_999_999 })).toBe(404)
    expect(await status(system.alice.rest, {})).toBe(400)
    expect(await status(system.alice.rest, { workspaceId: own, asTemplate: 'yes' })).toBe(400)
  })
})

describe('a document', () => {
  it('is moved and pinned', async () => {
    const { rest } = system.alice
    const [from, to] = [await newWorkspace(rest, 'From'), await newWorkspace(rest, 'To')]
    const doc = await newDocumentIn(rest, from)
    expect((await rest.patch(`${doc}/move`, { body: { workspace: to } })).status).toBe(200)
    expect((await rest.get(doc)).body).toMatchObject({ workspace: { id: to } })
    for (const workspace of [to, 'abc', null, 1.5, undefined])
      expect((await rest.patch(`${doc}/move`, { body: { workspace } })).status).toBe(400)
    await rest.patch(`${doc}/pin`)
    expect((await rest.get(doc)).body).toMatchObject({ isPinned: true })
    await rest.patch(`${doc}/unpin`)
    expect((await rest.get(doc)).body).toMatchObject({ isPinned: false })
    expect((await system.dan.rest.patch(`${doc}/pin`)).status).toBe(403)
  })
})

describe('a user who deletes their account', () => {
  it('is gone at once with their key, and so is all that was theirs', async () => {
    const eve = await system.sheaf.createUser(emailOf('eve'), 'Eve')
    const rest = createRest(system.sheaf.url, eve.key)
    const doc = await newDocument(rest)
    const remove = (client: Rest, name?: string) =>
      client.delete(`/api/users/${eve.id}`, { body: { name } })
    expect((await remove(system.alice.rest, 'Eve')).status).toBe(403)
    expect((await remove(system.anonymous, 'Eve')).status).toBe(403)
    expect((await remove(rest)).status).toBe(400)
    expect((await remove(rest, 'Eva')).status).toBe(400)

    await rest.post('/api/orgs', { body: { name: 'Eves team', domain: 'eves' } })
    expect(await remove(rest, 'Eve')).toMatchObject({
      status: 409,
      body: { error: expect.stringContaining('Eves team') as string },
    })
    await rest.delete('/api/orgs/eves')

    expect(await remove(rest, 'Eve')).toMatchObject({ status: 200, body: null })
    expect((await rest.get('/api/orgs')).status).toBe(401)
    expect((await rest.get(`${doc}/tables`)).status).toBe(401)
    expect((await system.alice.rest.get(doc)).status).toBe(404)
    await eventually(() => !existsSync(fileOf(doc)))
  })
})
