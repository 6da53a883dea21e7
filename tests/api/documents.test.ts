import { eventually } from '@sheaf/testkit/eventually'
import { homeWorkspace, newDocument, useSystem } from '../support/system'

const system = useSystem()

/** Encodes a UUID as clients of the Grist API do: the package short-uuid, padded to 22 characters. */
function shorten(uuid: string): string {
  const alphabet = '123456789abcdefghijkmnopqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ'
  let text = ''
  for (let rest = BigInt(`0x${uuid.replaceAll('-', '')}`); rest > 0n; rest /= 58n)
    text = `${alphabet[Number(rest % 58n)]}${text}`
  return text.padStart(22, '1')
}

describe('documents', () => {
  it('are described with their workspace and org, and found by each of their ids', async () => {
    const { rest } = system.alice
    const doc = await newDocument(rest, 'Plans')
    const uuid = doc.slice('/api/docs/'.length)
    const { body } = await rest.get<{ id: number; urlId: string }>(doc)
    expect(body).toMatchObject({
      id: expect.any(Number) as number,
      uuid,
      name: 'Plans',
      access: 'owners',
      isPinned: false,
      workspace: { name: 'Home', access: 'owners', org: { name: 'Personal' } },
    })
    for (const form of [body.id, body.urlId, shorten(uuid)])
      expect((await rest.get(`/api/docs/${form}`)).body).toEqual(body)
    const records = `/api/docs/${shorten(uuid)}/tables/Table1/records`
    expect((await rest.post(records, { body: { records: [{}] } })).status).toBe(200)
    expect((await rest.get(records)).body).toMatchObject({ records: [{ id: 1 }] })
  })

  it('keep preferences of each of their users, which are merged', async () => {
    const { rest } = system.alice
    const path = `${await newDocument(rest, 'Preferred')}/preferences`
    expect((await rest.get(path)).body).toEqual({})
    await rest.patch(path, { body: { tables: { A: 1, B: [2] }, old: true } })
    const wanted = { tables: { A: 'é', B: [2] } }
    const body = { tables: { A: 'é' }, old: null }
    expect(await rest.patch(path, { body })).toMatchObject({ status: 200, body: wanted })
    expect((await rest.get(path)).body).toEqual(wanted)
    const described = path.replace('/preferences', '')
    const { body: plain } = await rest.get<object>(described)
    expect(plain).not.toHaveProperty('preferences')
    const query = { expand: 'preferences' }
    expect((await rest.get(described, { query })).body).toEqual({ ...plain, preferences: wanted })
    expect(await rest.get(described, { query: { expand: 'all' } })).toMatchObject({
      status: 400,
      body: { details: { reason: 'INVALID_PARAMETER', parameter: 'expand' } },
    })
    expect((await system.dan.rest.get(described, { query })).status).toBe(403)
    for (const wrong of [[], { big: 'x'.repeat(40_000) }])
      expect(await rest.patch(path, { body: wrong })).toMatchObject({ status: 400 })
    const filled = { tables: { A: 'x'.repeat(20_000), B: 'x'.repeat(20_000) } }
    const halves = [{ tables: { A: filled.tables.A } }, { tables: { B: filled.tables.B } }]
    expect((await rest.patch(path, { body: halves[0] })).status).toBe(200)
    expect((await rest.patch(path, { body: halves[1] })).status).toBe(400)
    expect((await system.dan.rest.get(path)).status).toBe(403)
    expect((await system.anonymous.get(path)).status).toBe(401)
  })

  it('are listed with their UUIDs, by which a client that knows only the list can address them', async () => {
    const { rest } = system.alice
    const doc = await newDocument(rest, 'Listed')
    const uuid = doc.slice('/api/docs/'.length)
    const workspace = await homeWorkspace(rest)
    const listed = expect.arrayContaining([
      expect.objectContaining({ name: 'Listed', uuid }),
    ]) as unknown
    expect((await rest.get(`/api/workspaces/${workspace}`)).body).toMatchObject({ docs: listed })
    const { body } = await rest.get<{ id: number }[]>('/api/orgs/current/workspaces')
    expect(body.find(({ id }) => id === workspace)).toMatchObject({ docs: listed })
  })

  it('tell when, and by whom, their contents were changed last, to those who may edit them', async () => {
    const { alice, dan } = system
    const doc = await newDocument(alice.rest, 'Changed')
    const delta = { users: { [dan.email]: 'editors' } }
    await alice.rest.patch(`${doc}/access`, { body: { delta } })
    const described = async () =>
      (await alice.rest.get<{ updatedAt: string; updatedBy?: string; createdAt: string }>(doc)).body
    const { createdAt } = await described()
    await dan.rest.post(`${doc}/tables/Table1/records`, { body: { records: [{}] } })
    const before = new Date().toISOString()
    await eventually(async () => expect(await described()).toMatchObject({ updatedBy: 'Dan' }))
    const { updatedAt } = await described()
    expect(updatedAt > createdAt && updatedAt <= before).toBe(true)
    const workspace = await homeWorkspace(alice.rest)
    await eventually(async () =>
      expect((await alice.rest.get(`/api/workspaces/${workspace}`)).body).toMatchObject({
        docs: expect.arrayContaining([
          expect.objectContaining({ name: 'Changed', updatedAt, updatedBy: 'Dan' }),
        ]) as unknown,
      }),
    )
  })

  it('are not renamed to nothing, nor are workspaces and sites: 400 instead of a 200 without effect', async () => {
    const { rest } = system.alice
    const doc = await newDocument(rest, 'Named')
    const refused = {
      status: 400,
      body: { error: 'name must not be empty', details: { reason: 'INVALID_NAME', field: 'name' } },
    }
    const body = { name: '' }
    expect(await rest.patch(doc, { body })).toMatchObject(refused)
    expect(await rest.patch(doc, { body: { ...body, isPinned: true } })).toMatchObject(refused)
    expect((await rest.get(doc)).body).toMatchObject({ name: 'Named', isPinned: false })
    const workspace = `/api/workspaces/${await homeWorkspace(rest)}`
    expect(await rest.patch(workspace, { body })).toMatchObject(refused)
    expect(await rest.patch('/api/orgs/current', { body })).toMatchObject(refused)
    expect((await rest.patch(doc, { body: { isPinned: true } })).status).toBe(200)
  })

  it('have a first table with three empty columns', async () => {
    const { rest } = system.alice
    const doc = await newDocument(rest)
    const { body } = await rest.get<{ columns: { id: string; fields: object }[] }>(
      `${doc}/tables/Table1/columns`,
    )
    expect(body.columns.map(({ id }) => id)).toEqual(['A', 'B', 'C'])
    expect(body.columns[0]?.fields).toMatchObject({ type: 'Any', isFormula: true, formula: '' })
  })

  it('are renamed and pinned by their owner alone', async () => {
    const { rest } = system.alice
    const doc = await newDocument(rest)
    const { body: id } = await rest.patch<string>(doc, {
      body: { name: 'Новое имя', isPinned: true },
    })
    expect(doc).toContain(id)
    expect((await rest.get(doc)).body).toMatchObject({ name: 'Новое имя', isPinned: true })
    expect((await system.dan.rest.patch(doc, { body: { name: 'x' } })).status).toBe(403)
  })

  it.each<[string, unknown]>([
    ['an unknown field', { bogus: 1 }],
    ['a urlId of digits', { urlId: '123456' }],
    ['a urlId that looks like an id', { urlId: '9b2d1f3e-4a5b-4c6d-8e7f-0a1b2c3d4e5f' }],
    ['a urlId that looks like a shortened id', { urlId: 'mhvXdrZT4jP5T8vBxuvm75' }],
    ['a urlId with odd characters', { urlId: 'a b' }],
    ['a pin that is no boolean', { isPinned: 'yes' }],
  ])('refuse %s', async (_, body) => {
    const doc = await newDocument(system.alice.rest)
    expect((await system.alice.rest.patch(doc, { body })).status).toBe(400)
  })

  it('take a default name, and need a workspace that exists and may be edited', async () => {
    const { rest } = system.alice
    const workspace = await homeWorkspace(rest)
    const { body: id } = await rest.post<string>(`/api/workspaces/${workspace}/docs`, { body: {} })
    expect((await rest.get<{ name: string }>(`/api/docs/${id}`)).body.name).not.toBe('')
    expect((await rest.post('/api/workspaces/999999/docs', { body: {} })).status).toBe(404)
    expect(
      (await system.dan.rest.post(`/api/workspaces/${workspace}/docs`, { body: {} })).status,
    ).toBe(403)
  })

  it('that do not exist are not found', async () => {
    for (const id of [
      '9b2d1f3e-4a5b-4c6d-8e7f-0a1b2c3d4e5f',
      '999999',
      'nosuchthing',
      '..%2f..%2fetc',
      '%00',
    ])
      expect([400, 404]).toContain((await system.alice.rest.get(`/api/docs/${id}/tables`)).status)
  })
})
