import { useSystem } from '../support/system'

const system = useSystem()

interface Org {
  id: number
  name: string
  domain: string
  access: string
  owner: { id: number; name: string; picture: string | null } | null
  createdAt: string
  updatedAt: string
}

describe('orgs', () => {
  it('begin with the personal one, which every user has', async () => {
    const { rest, id } = system.alice
    const { status, body } = await rest.get<Org[]>('/api/orgs')
    expect(status).toBe(200)
    expect(body[0]).toMatchObject({
      id: expect.any(Number) as number,
      name: 'Personal',
      domain: `docs-${id}`,
      access: 'owners',
      owner: { id, picture: null },
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/) as string,
    })
  })

  it('are made with a domain, and addressed by id, domain, path and as the current one', async () => {
    const { rest } = system.alice
    const made = await rest.post<number>('/api/orgs', {
      body: { name: 'Ärzte & Co', domain: 'aerzte' },
    })
    expect([made.status, typeof made.body]).toEqual([200, 'number'])
    const wanted = {
      id: made.body,
      name: 'Ärzte & Co',
      domain: 'aerzte',
      access: 'owners',
      owner: null,
    }
    expect((await rest.get(`/api/orgs/${made.body}`)).body).toMatchObject(wanted)
    expect((await rest.get('/api/orgs/aerzte')).body).toMatchObject(wanted)
    expect((await rest.get('/api/orgs/current', { site: 'aerzte' })).body).toMatchObject(wanted)
    const personal = (await rest.get<Org>('/api/orgs/current')).body
    expect(personal.owner?.id).toBe(system.alice.id)
    const workspaces = await rest.get<{ name: string }[]>('/api/orgs/current/workspaces', {
      site: 'aerzte',
    })
    expect(workspaces.body.map(({ name }) => name)).toEqual(['Home'])
  })

  it('are renamed by their owner', async () => {
    const { rest } = system.alice
    const { body: id } = await rest.post<number>('/api/orgs', { body: { name: 'Before' } })
    expect((await rest.patch(`/api/orgs/${id}`, { body: { name: 'After' } })).body).toBeNull()
    expect((await rest.get<Org>(`/api/orgs/${id}`)).body).toMatchObject({
      name: 'After',
      domain: `o-${id}`,
    })
    expect(
      (await system.dan.rest.patch(`/api/orgs/${id}`, { body: { name: 'Mine' } })).status,
    ).toBe(403)
  })

  it('keep preferences of the site and of each user, replaced as a whole', async () => {
    const { rest } = system.alice
    const { body: id } = await rest.post<number>('/api/orgs', { body: { name: 'Prefs' } })
    const path = `/api/orgs/${id}`
    expect((await rest.get('/api/orgs/docs')).body).toMatchObject({
      userOrgPrefs: { showGristTour: true },
    })
    expect(Object.keys((await rest.get<object>(path)).body)).not.toContain('userOrgPrefs')
    const prefs = { orgPrefs: { a: { b: [1] } }, userPrefs: { c: null }, userOrgPrefs: { d: 'é' } }
    expect(await rest.patch(path, { body: prefs })).toMatchObject({ status: 200, body: null })
    expect((await rest.get(path)).body).toMatchObject(prefs)
    await rest.patch(path, { body: { name: 'Named', orgPrefs: {} } })
    expect((await rest.get(path)).body).toMatchObject({ ...prefs, orgPrefs: {}, name: 'Named' })
    for (const wrong of [5, [], 'x', { big: 'x'.repeat(20_000) }])
      expect(await rest.patch(path, { body: { userPrefs: wrong } })).toMatchObject({
        status: 400,
        body: { details: { userError: expect.stringContaining('userPrefs') as string } },
      })
    const nested = `{"userPrefs":${'{"a":'.repeat(9_000)}1${'}'.repeat(9_000)}}`
    expect(
      await rest.patch(path, { body: nested, headers: { 'content-type': 'application/json' } }),
    ).toMatchObject({ status: 400 })
    expect((await system.dan.rest.patch(path, { body: { userOrgPrefs: {} } })).status).toBe(403)
    expect((await rest.get(path)).body).toMatchObject({ userPrefs: { c: null } })
  })

  it.each<[number, string, unknown]>([
    [400, 'no name', {}],
    [400, 'an unknown field', { name: 'x', bogus: 1 }],
    [400, 'a name that is no text', { name: 5 }],
    [400, 'a name that is too long', { name: 'x'.repeat(5_000) }],
    [400, 'a domain of digits', { name: 'x', domain: '12345' }],
    [400, 'a reserved domain', { name: 'x', domain: 'docs-9' }],
    [400, 'a domain in upper case', { name: 'x', domain: 'ABC' }],
    [400, 'a name with a NUL', { name: 'a\u0000b' }],
  ])('answer %i to %s', async (status, _, body) => {
    const { status: got, body: answer } = await system.alice.rest.post<{ error: string }>(
      '/api/orgs',
      { body },
    )
    expect([got, typeof answer.error]).toEqual([status, 'string'])
  })

  it('need a signed-in user to be made, and an existing id to be described', async () => {
    expect((await system.anonymous.post('/api/orgs', { body: { name: 'x' } })).status).toBe(401)
    expect((await system.alice.rest.get('/api/orgs/99999')).status).toBe(404)
    expect((await system.alice.rest.get('/api/orgs/no-such-site')).status).toBe(404)
    expect((await system.anonymous.get('/api/orgs')).body).toEqual([])
  })
})
