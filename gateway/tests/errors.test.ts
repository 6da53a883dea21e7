import { AppError, codes, type ErrorCode } from '@sheaf/kit/errors'
import { createRest } from '@sheaf/testkit/rest'
import { eventually } from '@sheaf/testkit/eventually'
import { RawConnection } from './support/raw-http'
import { startStubbedGateway, DOC, type StubbedGateway } from './support/stub-services'

const fault = { current: new Error() }
const fail = () => Promise.reject(fault.current)

let system: StubbedGateway
let removals = 0
beforeAll(async () => {
  system = await startStubbedGateway({
    orgs: { listOrgs: fail, createOrg: async () => ({ id: 7 }), updateOrg: async () => ({}) },
    workspaces: { createWorkspace: async () => ({ id: 8 }), updateWorkspace: async () => ({}) },
    documents: { updateDocument: async () => ({ docId: DOC }) },
    tables: { addTables: async () => ({ tableIds: ['T1'], seq: 1 }) },
    attachments: {
      readAttachmentsHealth: fail,
      removeUnusedAttachments: async () => ({ removed: ++removals }),
    },
  })
})
afterAll(() => system[Symbol.asyncDispose]())

const rest = () => createRest(system.url, 'alice-key')

describe('an error of a service', () => {
  it.each(Object.keys(codes) as ErrorCode[])(
    'keeps its code, reason and metadata: %s',
    async (code) => {
      fault.current = new AppError(code, 'SOME_REASON', 'some text', { column: 'A' })
      const reply = await rest().get('/api/orgs')
      expect(reply.status).toBe(codes[code].http)
      expect(reply.body).toMatchObject({
        error: 'some text',
        details: { reason: 'SOME_REASON', column: 'A' },
      })
    },
  )

  it('that is a bug is told without its text, with the id to find it by', async () => {
    fault.current = new TypeError('secret detail')
    const headers = { 'x-request-id': 'find-me' }
    const reply = await rest().get('/api/orgs', { headers })
    expect(reply).toMatchObject({
      status: 500,
      body: { error: 'internal error', details: { requestId: 'find-me' } },
    })
    expect(reply.raw.toString()).not.toContain('secret')
  })
})

describe('removing unused attachments', () => {
  it('removes none when it answers that a file is damaged', async () => {
    fault.current = new AppError('unavailable', 'ATTACHMENT_DAMAGED', 'attachment 2 is damaged')
    const path = `/api/docs/${DOC}/attachments/removeUnused`
    expect(await rest().post(path)).toMatchObject({
      status: 503,
      body: { details: { reason: 'ATTACHMENT_DAMAGED' } },
    })
    expect(removals).toBe(0)
    expect((await rest().post(`${path}?verifyfiles=0`)).status).toBe(200)
    expect(removals).toBe(1)
  })
})

describe('every answer', () => {
  it('has the request id it was given, unless that is not sane', async () => {
    const get = (id: string) => rest().get('/api/x', { headers: { 'x-request-id': id } })
    expect((await get('abc-1')).headers.get('x-request-id')).toBe('abc-1')
    expect((await get('a b"c')).headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
  })

  it.each([
    ['a reply', 'GET /status HTTP/1.1', 200],
    ['an error', 'GET /api/x HTTP/1.1', 404],
    ['a page', 'GET /sign-in HTTP/1.1', 200],
    ['a preflight', 'OPTIONS /api/orgs HTTP/1.1', 200],
    ['a head', 'HEAD /api/docs-ui HTTP/1.1', 200],
    ['a path that means nothing', 'GET /api/docs/%zz HTTP/1.1', 400],
    ['a refusal of what is no HTTP', 'NONSENSE', 400],
  ])('has an id and tells how long it took: %s', async (_, line, status) => {
    await using connection = await RawConnection.open(system.url)
    connection.send([line, 'Host: localhost', 'Connection: close', '', ''])
    await eventually(() => expect(connection.isClosed).toBe(true))
    expect(connection.received).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
    expect(connection.received).toMatch(/^X-Request-Id: [0-9a-f-]{36}\r$/m)
    expect(connection.received).toMatch(/^Server-Timing: total;dur=[\d.]+\r$/m)
  })

  it('is an error when the request names several hosts', async () => {
    for (const path of ['/api/orgs', '/console/', '/o/docs/api/orgs', '/status']) {
      await using connection = await RawConnection.open(system.url)
      const hosts = ['Host: localhost', 'hOST: other.example', 'Connection: close']
      connection.send([`GET ${path} HTTP/1.1`, ...hosts, '', ''])
      await eventually(() => expect(connection.isClosed).toBe(true))
      expect(connection.received).toMatch(/^HTTP\/1.1 400 /)
      expect(connection.received).toContain('"reason":"INVALID_HEADER"')
    }
  })

  it('asks browsers to keep to TLS where the public URL has it, and nowhere else', async () => {
    const name = 'strict-transport-security'
    expect((await rest().get('/api/x')).headers.has(name)).toBe(false)
    await using secure = await startStubbedGateway({
      config: { publicUrl: 'https://sheaf.example' },
    })
    for (const path of ['/api/x', '/status', '/sign-in']) {
      const { headers } = await createRest(secure.url).get(path)
      expect(headers.get(name)).toBe('max-age=31536000')
    }
  })

  it('has security headers and is not cached', async () => {
    const { headers } = await rest().get('/api/x')
    expect(Object.fromEntries(headers)).toMatchObject({
      'cache-control': 'no-cache',
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
      'content-type': 'application/json; charset=utf-8',
      'x-content-type-options': 'nosniff',
    })
    expect(headers.has('x-powered-by')).toBe(false)
  })
})

describe('an unknown path', () => {
  it.each(['/api/nope', '/o/acme/api/nope?x=1', '/api/orgs/1/nope', '/API/orgs'])(
    'is not found, by its whole URL: %s',
    async (path) => {
      const response = await fetch(system.url + path)
      expect(response.status).toBe(404)
      expect(await response.json()).toMatchObject({ error: `not found: ${path}` })
    },
  )

  it('is told from an unknown method, whose answer names the known ones', async () => {
    const reply = await rest().delete('/api/orgs')
    expect(reply).toMatchObject({
      status: 405,
      body: { details: { reason: 'METHOD_NOT_ALLOWED' } },
    })
    expect(reply.headers.get('allow')).toBe('GET, HEAD, OPTIONS, POST')
  })
})

describe('a request that is not well formed', () => {
  it('is a 400 when an escape in the path or the query means nothing', async () => {
    for (const path of [
      '/api/docs/%E0%A4%A/tables',
      '/o/%zz/api/orgs',
      `/api/docs/${DOC}/tables?a=%ff`,
    ]) {
      const response = await fetch(system.url + path, {
        headers: { authorization: 'Bearer alice-key' },
      })
      expect([path, response.status]).toEqual([path, 400])
      expect(await response.json()).toMatchObject({ error: expect.any(String) })
    }
  })

  it('is a 400 when an id cannot be one', async () => {
    const reply = await rest().get('/api/workspaces/12abc')
    expect(reply).toMatchObject({
      status: 400,
      body: { error: 'workspaceId parameter cannot be understood as an integer: 12abc' },
    })
    expect((await rest().get('/api/orgs/a%00b')).status).toBe(400)
  })

  it.each([
    ['400', ['NONSENSE', '', '']],
    ['431', ['GET / HTTP/1.1', `X: ${'a'.repeat(70_000)}`, '', '']],
  ])('is answered in JSON, and its connection closed: %s', async (status, lines) => {
    await using connection = await RawConnection.open(system.url)
    connection.send(lines)
    await eventually(() => connection.isClosed)
    expect(connection.received).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
    expect(connection.received).toMatch(/\{"error":".+"\}\}$/)
  })
})

describe('a body that does not fit', () => {
  const tables = `/api/docs/${DOC}/tables`
  const userError = async (body: unknown) => {
    const reply = await rest().post<{ error: string; details: { userError: string } }>(tables, {
      body,
    })
    const { error, details } = reply.body
    const [first] = details.userError.slice('Error: '.length).split('\n')
    expect([reply.status, error]).toEqual([400, `Invalid payload: ${first}`])
    return details.userError
  }

  it.each([
    [{}, 'Error: body.tables is missing'],
    [[], 'Error: body is not an object'],
    [{ tables: 1 }, 'Error: body.tables is not an array'],
    [{ tables: [] }, 'Error: body.tables is empty'],
    [{ tables: [{}] }, 'Error: body.tables[0].columns is missing'],
    [{ tables: [{ id: 5, columns: [{}] }] }, 'Error: body.tables[0].id is not a string'],
    [
      { tables: [{ columns: [{ fields: { widgetOptions: {} } }] }] },
      'Error: body.tables[0].columns[0].fields.widgetOptions is not a string',
    ],
    [
      { tables: [{ columns: [{ fields: { formula: 'a\0b' } }] }] },
      'Error: body.tables[0].columns[0].fields.formula must not contain NUL or an unpaired surrogate',
    ],
    [
      { tables: [{ columns: [{ id: 1 }, { fields: { isFormula: 'x' } }] }] },
      'Error: body.tables[0].columns[0].id is not a string\n    body.tables[0].columns[1].fields.isFormula is not a boolean',
    ],
  ])('names the field: %j', async (body, message) => {
    expect(await userError(body)).toBe(message)
  })

  it('is refused before its items are checked when a list has far too many', async () => {
    const columns = Array.from({ length: 2_001 }, () => 1)
    expect(await userError({ tables: [{ columns }] })).toBe(
      'Error: body.tables[0].columns has more than 2000 items',
    )
  })

  it('may have unknown keys where tables and columns are made', async () => {
    const body = { extra: 1, tables: [{ x: 1, columns: [{ fields: { nope: {} } }] }] }
    expect(await rest().post(tables, { body })).toMatchObject({ status: 200 })
  })

  it('may have none where orgs, workspaces and documents are', async () => {
    const body = { name: 'N', bogus: 1 }
    const replies = await Promise.all([
      rest().post('/api/orgs', { body }),
      rest().patch('/api/orgs/current', { body }),
      rest().post('/api/orgs/current/workspaces', { body }),
      rest().patch('/api/workspaces/1', { body }),
      rest().post('/api/workspaces/1/docs', { body }),
      rest().patch(`/api/docs/${DOC}`, { body }),
    ])
    for (const reply of replies)
      expect(reply).toMatchObject({ status: 400, body: { error: 'unrecognized property bogus' } })
  })

  it('must name a new org, and need not name a new workspace', async () => {
    const nameless = await rest().post('/api/orgs', { body: {} })
    expect(nameless).toMatchObject({ status: 400, body: { error: 'Bad request: name required' } })
    expect((await rest().post('/api/orgs/1/workspaces', { body: {} })).body).toBe(8)
  })
})

describe('what writes of metadata answer', () => {
  it('is the id where there is one, and null for an org', async () => {
    const body = { name: 'N' }
    expect((await rest().post('/api/orgs', { body })).body).toBe(7)
    expect((await rest().patch('/api/orgs/7', { body })).body).toBe(null)
    expect((await rest().patch('/api/workspaces/12', { body })).body).toBe(12)
    expect((await rest().patch(`/api/docs/cities`, { body })).body).toBe(DOC)
  })
})

describe('status', () => {
  it('tells that the gateway is alive, and that all is ready', async () => {
    expect((await rest().get('/status')).body).toMatchObject({ status: 'alive' })
    expect((await rest().get('/status?ready=1')).body).toMatchObject({
      status: 'ready',
      version: expect.stringMatching(/^\d+\.\d+\.\d+$/) as string,
      eventsBacklog: 0,
    })
  })

  it('names what is not ready', async () => {
    await using lonely = await startStubbedGateway({
      config: { directoryAddress: '127.0.0.1:1', webhookAddress: '127.0.0.1:1' },
    })
    const reply = await createRest(lonely.url).get('/status?ready=1')
    expect(reply).toMatchObject({
      status: 503,
      body: { error: 'not ready: directory, document-data, postgres, webhook' },
    })
    expect((await createRest(lonely.url).get('/status')).status).toBe(200)
    expect((await createRest(lonely.url, 'k').get('/api/orgs')).status).toBe(503)
  })
})

describe('the refusal of a write', () => {
  const body = { name: 'Acme' }

  it('says that it was not applied when access could not be resolved', async () => {
    const config = { directoryAddress: '127.0.0.1:1' }
    await using lonely = await startStubbedGateway({ config })
    const alice = createRest(lonely.url, 'alice-key')
    const refused = await alice.post('/api/orgs', { body })
    expect(refused).toMatchObject({ status: 503, body: { details: { applied: false } } })
    const read = await alice.get('/api/orgs')
    expect([read.status, read.body]).not.toHaveProperty([1, 'details', 'applied'])
  })

  it('does not say so once its call was made', async () => {
    fault.current = new AppError('unavailable', 'DATABASE_UNAVAILABLE', 'away')
    await using other = await startStubbedGateway({ orgs: { createOrg: fail } })
    const reply = await createRest(other.url, 'alice-key').post('/api/orgs', { body })
    expect(reply.status).toBe(503)
    expect(reply.body).toMatchObject({ details: { reason: 'DATABASE_UNAVAILABLE' } })
    expect(reply.body).not.toHaveProperty('details.applied')
  })
})
