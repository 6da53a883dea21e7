import { createRest } from '@sheaf/testkit/rest'
import { sendRequest } from './support/http-request'
import { startStubbedGateway, DOC, type StubbedGateway } from './support/stub-services'

const listTables = async () => ({ tables: [], seq: 1 })
const addTables = async () => ({ tableIds: ['T1'], seq: 1 })
const listOrgs = async () => ({ orgs: [] })

let system: StubbedGateway
beforeAll(async () => {
  system = await startStubbedGateway({ tables: { listTables, addTables }, orgs: { listOrgs } })
})
afterAll(() => system[Symbol.asyncDispose]())

const tables = `/api/docs/${DOC}/tables`
const newTable = { tables: [{ columns: [{}] }] }
const as = (name?: string) => createRest(system.url, name && `${name}-key`)

describe('the credential', () => {
  it('is an API key after Bearer', async () => {
    expect(await as('alice').get('/api/orgs')).toMatchObject({ status: 200, body: [] })
  })

  it.each(['Basic YTpi', 'alice-key', 'bearer alice-key', 'Token alice-key'])(
    'is refused in another scheme: %s',
    async (authorization) => {
      const reply = await as().get('/api/orgs', { headers: { authorization } })
      expect(reply.status).toBe(401)
      expect(reply.body).toMatchObject({
        error: "Bad request: unsupported Authorization scheme, expected 'Bearer'",
      })
    },
  )

  it.each(['Bearer', 'Bearer ', 'Bearer nobody-has-this', `Bearer ${'x'.repeat(600)}`])(
    'is refused when it is no key: %.30s',
    async (authorization) => {
      const reply = await as().get('/api/orgs', { headers: { authorization } })
      expect(reply.status).toBe(401)
      expect(reply.body).toMatchObject({ error: 'Bad request: invalid API key' })
      expect(reply.headers.get('www-authenticate')).toBe('Bearer')
    },
  )

  it('may be absent: the caller is the anonymous user', async () => {
    expect(await as().get('/api/orgs')).toMatchObject({ status: 200, body: [] })
    expect((await as().get(tables)).status).toBe(403)
  })

  it('counts before the body: a bad key wins over malformed JSON and over an unknown document', async () => {
    const options = { body: '{', headers: { 'content-type': 'application/json' } }
    expect((await as('nobody').post(tables, options)).status).toBe(401)
    expect((await as('nobody').get('/api/docs/nope/tables')).status).toBe(401)
  })
})

describe('an anonymous write', () => {
  const write = (headers: Record<string, string>) =>
    as().post(tables, { body: JSON.stringify(newTable), headers })

  it('needs a header that a form of another site cannot send', async () => {
    for (const type of ['text/plain', 'application/json; charset=utf-8']) {
      const reply = await write({ 'content-type': type })
      expect(reply.status).toBe(401)
      expect(reply.body).toMatchObject({
        error: expect.stringMatching(/require one of the headers/),
      })
    }
  })

  it('is judged by its access once it has one', async () => {
    expect((await write({ 'content-type': 'application/json' })).status).toBe(403)
    const xhr = { 'content-type': 'text/plain', 'x-requested-with': 'XMLHttpRequest' }
    expect((await write(xhr)).status).toBe(403)
  })

  it('with a key needs none', async () => {
    const headers = { 'content-type': 'text/plain' }
    // Not JSON, so it counts as {}.
    const reply = await as('bob').post(tables, { body: 'x', headers })
    expect(reply.body).toMatchObject({
      error: expect.stringContaining('Invalid payload: body.tables is missing') as string,
    })
  })
})

describe('the role on a document', () => {
  it('must allow what the route does', async () => {
    expect((await as('carol').get(tables)).status).toBe(200)
    const refused = await as('carol').post(tables, { body: newTable })
    expect(refused).toMatchObject({ status: 403, body: { error: 'No write access' } })
    expect((await as('bob').post(tables, { body: newTable })).body).toEqual({
      tables: [{ id: 'T1' }],
    })
    const stranger = await as('dan').get(tables)
    expect(stranger).toMatchObject({ status: 403, body: { error: 'No view access' } })
  })

  it('is looked for by any of the names of the document, in the site addressed', async () => {
    await as('carol').get('/api/docs/cities/tables', { site: 'ACME' })
    expect(system.access.questions.at(-1)).toMatchObject({ document: 'cities', site: 'acme' })
  })

  it('comes before the body is checked', async () => {
    const options = { body: '{', headers: { 'content-type': 'application/json' } }
    expect((await as('carol').post(tables, options)).status).toBe(403)
  })
})

describe('the site', () => {
  it('comes from the header Organization when the URL names none', async () => {
    await as('alice').get(tables, { headers: { organization: 'acme' } })
    expect(system.access.questions.at(-1)?.site).toBe('acme')
  })

  it('comes from the subdomain when there is a base domain', async () => {
    await using other = await startStubbedGateway({
      orgs: { listOrgs },
      config: { baseDomain: 'sheaf.test' },
    })
    const ask = async (host: string, path = '/api/orgs') => {
      const headers = { host, authorization: 'Bearer alice-key' }
      const { status, body } = await sendRequest(other.url + path, { headers })
      return [status, (body as { error?: string }).error, other.access.questions.at(-1)?.site]
    }
    expect(await ask('acme.sheaf.test')).toEqual([200, undefined, 'acme'])
    expect(await ask('acme.sheaf.test', '/o/acme/api/orgs')).toEqual([200, undefined, 'acme'])
    expect(await ask('sheaf.test:80')).toEqual([200, undefined, ''])
    expect(await ask('api.sheaf.test')).toEqual([200, undefined, ''])
    // As the command and the lines of the banner ask on the same machine.
    for (const host of ['127.0.0.1:8484', '[::1]:8484', 'localhost:8484'])
      expect(await ask(host)).toEqual([200, undefined, ''])
    expect(await ask('evil.test')).toEqual([
      404,
      'Domain not recognized: evil.test; SHEAF_BASE_DOMAIN decides which are',
      '',
    ])
    expect(await ask('acme.sheaf.test', '/o/other/api/orgs')).toEqual([
      400,
      "Wrong org for this domain: 'other' does not match 'acme'",
      '',
    ])
    expect((await createRest(other.url).get('/status')).status).toBe(200)
  })
})
