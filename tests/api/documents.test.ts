import { homeWorkspace, newDocument, useSystem } from '../support/system'

const system = useSystem()

describe('documents', () => {
  it('are described with their workspace and org, and found by each of their ids', async () => {
    const { rest } = system.alice
    const doc = await newDocument(rest, 'Plans')
    const { body } = await rest.get<{ id: number; urlId: string }>(doc)
    expect(body).toMatchObject({
      id: expect.any(Number) as number,
      name: 'Plans',
      access: 'owners',
      isPinned: false,
      workspace: { name: 'Home', access: 'owners', org: { name: 'Personal' } },
    })
    for (const form of [body.id, body.urlId])
      expect((await rest.get(`/api/docs/${form}`)).body).toEqual(body)
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
