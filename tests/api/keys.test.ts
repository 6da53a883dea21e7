import { createRest, type Rest } from '@sheaf/testkit/rest'
import { eventually } from '@sheaf/testkit/eventually'
import { addTable, emailOf, homeWorkspace, newDocument, useSystem } from '../support/system'

const system = useSystem()
const one = '/api/profile/apikey'
const many = '/api/profile/apikeys'

interface Key {
  readonly id: number
  readonly key: string
  readonly name: string
  readonly prefix: string
}

const withKey = (key: string) => createRest(system.sheaf.url, key)

async function makeKey(rest: Rest, fields: object): Promise<Key> {
  const made = await rest.post<Key>(many, { body: { name: 'made', ...fields } })
  expect(made.status).toBe(200)
  expect(made.headers.get('cache-control')).toBe('no-store')
  return made.body
}

describe('the default key', () => {
  it('is masked when it is asked for again', async () => {
    const { rest } = await system.sheaf
      .createUser(emailOf('erin'), 'Erin')
      .then(({ key }) => ({ rest: withKey(key) }))
    const made = await rest.post(one, { body: { force: true } })
    expect(made.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(made.headers.get('cache-control')).toBe('no-store')
    expect(made.text).toMatch(/^shf_\w{36}$/)
    const shown = await withKey(made.text).get(one)
    expect(shown.text).toBe(made.text.slice(0, 12) + '*'.repeat(28))
    expect(shown.headers.get('content-type')).toBe('text/html; charset=utf-8')
  })

  it('is replaced by force only, revoked, and made again', async () => {
    const { key } = await system.sheaf.createUser(emailOf('frank'), 'Frank')
    const frank = withKey((await makeKey(withKey(key), {})).key)
    expect(await frank.post(one)).toMatchObject({
      status: 400,
      body: { error: 'An apikey is already set, use `{force: true}` to override it.' },
    })
    const second = (await frank.post(one, { body: { force: true } })).text
    expect((await withKey(key).get('/api/orgs')).status).toBe(401)
    expect((await withKey(second).get('/api/orgs')).status).toBe(200)
    expect(await frank.delete(one)).toMatchObject({ status: 200, text: 'OK' })
    expect((await withKey(second).get('/api/orgs')).status).toBe(401)
    expect(await frank.get(one)).toMatchObject({ status: 200, text: '' })
    expect((await frank.post(one)).text).toMatch(/^shf_/)
  })
})

describe('named keys', () => {
  it('are made, listed without their secrets, and revoked for the very next request', async () => {
    const { rest } = system.dan
    const { id, key, ...shown } = await makeKey(rest, { name: 'ci', expiresAt: '2999-12-31' })
    const expiresAt = '2999-12-31T00:00:00.000Z'
    expect(shown).toMatchObject({ name: 'ci', isDefault: false, scope: null, expiresAt })
    expect((await withKey(key).get('/api/orgs')).status).toBe(200)
    const listed = await rest.get<Key[]>(many)
    expect(listed.body.find((found) => found.id === id)).toMatchObject({ prefix: shown.prefix })
    expect(listed.text).not.toContain(key)
    expect((await rest.delete(`${many}/${id}`)).body).toBeNull()
    expect((await withKey(key).get('/api/orgs')).status).toBe(401)
    expect((await rest.delete(`${many}/${id}`)).status).toBe(404)
  })

  it('of others cannot be seen or revoked', async () => {
    const { id, key } = await makeKey(system.alice.rest, {})
    expect((await system.dan.rest.delete(`${many}/${id}`)).status).toBe(404)
    expect((await system.dan.rest.get<Key[]>(many)).text).not.toContain(`"id":${id},`)
    expect((await withKey(key).get('/api/orgs')).status).toBe(200)
  })

  it('end by themselves, also where a gateway remembers them', async () => {
    const expiresAt = new Date(Date.now() + 10_000).toISOString()
    const { key } = await makeKey(system.dan.rest, { expiresAt })
    expect((await withKey(key).get('/api/orgs')).status).toBe(200)
    await eventually(async () => (await withKey(key).get('/api/orgs')).status === 401)
    // A token that ends with its key may be refused first.
    await eventually(async () =>
      expect((await withKey(key).get('/api/orgs')).body).toEqual({
        error: `the API key expired on ${expiresAt}`,
        details: { reason: 'KEY_EXPIRED', expiredAt: expiresAt },
      }),
    )
    // Tokens end at whole seconds.
    expect(Date.now()).toBeGreaterThanOrEqual(Date.parse(expiresAt) - 1_000)
  })

  it.each([
    [{}, 'name'],
    [{ name: 'x'.repeat(300) }, 'name'],
    [{ name: 'k', expiresAt: 'soon' }, 'expires'],
    [{ name: 'k', expiresAt: '2020-01-01' }, 'expires'],
    [{ name: 'k', scope: { orgs: 'all' } }, 'scope.orgs'],
    [{ name: 'k', scope: { everything: true } }, 'everything'],
    [{ name: 'k', scope: { workspaces: [999_999] } }, 'scope.workspaces[0]'],
    [{ name: 'k', scope: { docs: ['nope'] } }, 'scope.documents[0]'],
    [{ name: 'k', scope: { orgs: [2 ** 40] } }, 'scope.orgs[0]'],
    [{ name: 'k', scope: {} }, 'body.scope must name'],
    [{ name: 'k', scope: { docs: [] } }, 'body.scope must name'],
    [{ name: 'k', scope: { caps: {} } }, 'body.scope.caps must have'],
    [{ name: 'k', scope: { caps: { noStructure: false } } }, 'body.scope.caps must have'],
    [{ name: 'k', scope: { caps: { rowsPerCall: 0 } } }, 'scope.caps.rowsPerCall'],
    [{ name: 'k', scope: { caps: { tables: [] } } }, 'scope.caps.tables'],
    [{ name: 'k', scope: { caps: { tables: [''] } } }, 'scope.caps.tables'],
    [{ name: 'k', scope: { caps: { cells: 1 } } }, 'cells'],
    [{ name: 'k', scope: { readOnly: true, docs: [], orgs: [] } }, 'body.scope must name'],
  ])('are not made of %j', async (body, field) => {
    const refused = await system.dan.rest.post(many, { body })
    expect(refused.status).toBe(400)
    expect(refused.text).toContain(field)
  })
})

describe('a confined key', () => {
  it('reads what it was made for, and nothing else', async () => {
    const { rest } = system.alice
    const workspaceId = await homeWorkspace(rest)
    const inside = await newDocument(rest)
    const outside = await newDocument(rest)
    await addTable(rest, inside, 'T', { A: 'Text' })
    const docs = [inside.replace('/api/docs/', '')]
    const { key, scope } = (await makeKey(rest, {
      scope: { readOnly: true, docs },
    })) as Key & { scope: object }
    expect(scope).toEqual({ readOnly: true, orgs: [], workspaces: [], docs, caps: null })
    const reader = withKey(key)
    const records = `${inside}/tables/T/records`
    expect((await reader.get(records)).status).toBe(200)
    const write = { body: { records: [{ fields: { A: 'a' } }] } }
    expect(await reader.post(records, write)).toMatchObject({
      status: 403,
      body: { details: { reason: 'KEY_SCOPE' } },
    })
    expect((await rest.post(records, write)).status).toBe(200)
    for (const path of [outside, `${outside}/tables`])
      expect(await reader.get(path)).toMatchObject({
        status: 403,
        body: { details: { reason: 'KEY_SCOPE' } },
      })
    const [listed, ...others] = (
      await reader.get<{ id: number; docs: { id: number }[] }[]>('/api/orgs/current/workspaces')
    ).body
    expect([listed?.id, listed?.docs.length, others]).toEqual([workspaceId, 1, []])
  })

  it('cannot make itself another', async () => {
    const { key } = await makeKey(system.alice.rest, { scope: { readOnly: true } })
    const reader = withKey(key)
    for (const reply of [
      await reader.post(many, { body: { name: 'more' } }),
      await reader.get(many),
      await reader.post(one, { body: { force: true } }),
      await reader.delete(one),
    ])
      expect(reply).toMatchObject({ status: 403, body: { details: { reason: 'KEY_SCOPE' } } })
  })
})
