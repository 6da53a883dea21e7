import { homeWorkspace, newDocument, useSystem } from '../support/system'

const system = useSystem()

describe('workspaces', () => {
  it('are made, described with their documents and their org, and renamed', async () => {
    const { rest } = system.alice
    const { body: id } = await rest.post<number>('/api/orgs/current/workspaces', {
      body: { name: 'Zoo' },
    })
    const { body: doc } = await rest.post<string>(`/api/workspaces/${id}/docs`, {
      body: { name: 'Animals', isPinned: true },
    })
    const { body } = await rest.get<{ docs: { id: number }[] }>(`/api/workspaces/${id}`)
    expect(body).toMatchObject({
      id,
      name: 'Zoo',
      access: 'owners',
      org: { owner: { id: system.alice.id } },
    })
    expect(body.docs).toEqual([
      expect.objectContaining({ name: 'Animals', access: 'owners', isPinned: true }),
    ])
    expect(Number.isInteger(body.docs[0]?.id)).toBe(true)
    expect(doc).toMatch(/^[0-9a-f-]{36}$/)
    expect((await rest.patch(`/api/workspaces/${id}`, { body: { name: 'Park' } })).body).toBe(id)
    const listed = await rest.get<{ name: string; orgDomain: string }[]>(
      '/api/orgs/current/workspaces',
    )
    expect(listed.body.map(({ name }) => name)).toEqual(
      [...listed.body.map(({ name }) => name)].sort(),
    )
    expect(listed.body).toContainEqual(
      expect.objectContaining({ id, name: 'Park', orgDomain: `docs-${system.alice.id}` }),
    )
  })

  it('take a default name', async () => {
    const { rest } = system.alice
    const { status, body: id } = await rest.post<number>('/api/orgs/current/workspaces', {
      body: {},
    })
    expect(status).toBe(200)
    expect((await rest.get<{ name: string }>(`/api/workspaces/${id}`)).body.name).not.toBe('')
  })

  it('are hidden from strangers, and unknown ones are not found', async () => {
    const id = await homeWorkspace(system.alice.rest)
    await newDocument(system.alice.rest)
    expect((await system.dan.rest.get(`/api/workspaces/${id}`)).status).toBe(403)
    expect((await system.alice.rest.get('/api/workspaces/999999')).status).toBe(404)
    expect((await system.alice.rest.get('/api/workspaces/abc')).status).toBe(400)
    expect(
      (await system.alice.rest.patch(`/api/workspaces/${id}`, { body: { bogus: 1 } })).status,
    ).toBe(400)
  })
})
