import { request } from 'node:http'
import { newDocument, useSystem } from '../support/system'

const system = useSystem()

describe('the HTTP layer', () => {
  it('answers 404 with JSON for what it does not know', async () => {
    const { status, body } = await system.alice.rest.get('/api/nothing/here?x=1')
    expect([status, body]).toMatchObject([404, { error: 'not found: /api/nothing/here?x=1' }])
  })

  it('gives every reply a request id and headers that keep browsers safe', async () => {
    const { headers } = await system.alice.rest.get('/api/orgs')
    expect(headers.get('x-request-id')).toMatch(/\S/)
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(headers.get('cache-control')).toBe('no-cache')
    expect(headers.get('x-powered-by')).toBeNull()
  })

  it('lets a bad key win over a bad body, and refuses other schemes', async () => {
    const { sheaf } = system
    const post = async (authorization: string) =>
      (
        await fetch(`${sheaf.url}/api/orgs`, {
          method: 'POST',
          headers: { authorization },
          body: '{',
        })
      ).status
    expect(await post('Bearer nonsense')).toBe(401)
    expect(await post('Basic YTpi')).toBe(401)
  })

  it('answers 413 to a body beyond the limit, whether its length is told or not, and reads on none of it', async () => {
    const { sheaf, alice } = system
    const doc = await newDocument(alice.rest)
    const url = new URL(`${sheaf.url}${doc}/tables/Table1/records`)
    const huge = Buffer.alloc(34 * 1024 * 1024, 32)
    const send = (headers: Record<string, string | number>) =>
      new Promise<number | undefined>((resolve, reject) => {
        const sent = request(
          url,
          {
            method: 'POST',
            headers: {
              authorization: `Bearer ${sheaf.ownerKey}`,
              'content-type': 'application/json',
              ...headers,
            },
          },
          (response) => {
            response.resume()
            resolve(response.statusCode)
          },
        )
        // The server may close while we still write, after its answer.
        sent.on('error', (error: NodeJS.ErrnoException) =>
          error.code === 'EPIPE' || error.code === 'ECONNRESET' ? undefined : reject(error),
        )
        sent.end(huge)
      })
    expect(await send({ 'content-length': huge.length })).toBe(413)
    expect(await send({ 'transfer-encoding': 'chunked' })).toBe(413)
    expect((await alice.rest.get('/api/orgs')).status).toBe(200)
  })

  it('repeats only the beginning of overlong input in an error', async () => {
    const { rest } = system.alice
    const doc = await newDocument(rest)
    const records = `${doc}/tables/Table1/records`
    const long = 'x'.repeat(9_000)
    const replies = [
      await rest.get(records, { query: { limit: 1, cursor: long } }),
      await rest.get(records, { query: { sort: long } }),
      await rest.get(records, { query: { filter: JSON.stringify({ [long]: [1] }) } }),
      await rest.get(records, { query: { filter: JSON.stringify({ A: { [long]: 1 } }) } }),
      await rest.get(`${doc}/tables/${long}/records`),
      await rest.get(`/api/docs/${long}`),
      await rest.get(`/api/${long}`),
      await rest.post(records, { body: { records: [{ fields: { [long]: 1 } }] } }),
      await rest.post(records, { body: { records: [{ fields: { [long]: [{}] } }] } }),
      await rest.put(records, { body: { records: [{ require: { [long]: 1 } }] } }),
      await rest.post(`${doc}/tables/Table1/data`, { body: { [long]: 1 } }),
      await rest.post(`${doc}/tables/Table1/data`, { body: { [long]: [{}] } }),
      await rest.post(`${doc}/tables/Table1/data`, { body: { A: [1], [long]: [] } }),
      await rest.post(`${doc}/apply`, { body: [[long, 'Table1', null, {}]] }),
      await rest.post(`${doc}/apply`, { body: [['AddRecord', long, null, {}]] }),
      await rest.post(`${doc}/apply`, { body: [['AddRecord', 'Table1', null, { [long]: [{}] }]] }),
      await rest.post(`${doc}/apply`, {
        body: [['BulkAddRecord', 'Table1', [null], { [long]: 1 }]],
      }),
      await rest.post(`${doc}/tables`, {
        body: { tables: [{ columns: [{ id: 'A', fields: { type: long } }] }] },
      }),
      await rest.delete(`${doc}/tables/Table1/columns/${long}`),
      await rest.patch(doc, { body: { [long]: 1 } }),
      await rest.patch(`${doc}/access`, { body: { delta: { users: { 'a@b.example': long } } } }),
      await rest.get(`${doc}/sql`, { query: { q: `select ${long} from Table1` } }),
      await rest.get('/api/orgs', { headers: { origin: long } }),
    ]
    for (const [at, { status, text }] of replies.entries()) {
      expect([at, status >= 400 && status < 500, text.length < 700 || text]).toEqual([
        at,
        true,
        true,
      ])
    }
  })

  it('refuses credentials from a page of another site', async () => {
    const origin = { origin: 'https://evil.example' }
    expect((await system.alice.rest.get('/api/orgs', { headers: origin })).status).toBe(403)
    const open = await system.anonymous.get('/api/orgs', { headers: origin })
    expect([open.status, open.headers.get('access-control-allow-origin')]).toEqual([200, '*'])
  })

  it('is alive, ready, and describes itself', async () => {
    const { anonymous } = system
    expect((await anonymous.get('/status')).status).toBe(200)
    const ready = await anonymous.get('/status?ready=1')
    expect(ready.status).toBe(200)
    expect(ready.body).toMatchObject({
      status: 'ready',
      eventsBacklog: expect.any(Number) as number,
    })
    const { body } = await anonymous.get<{ info: { version: string }; paths: object }>(
      '/api/openapi.json',
    )
    expect(body.info.version).toBe('1.0.1')
    expect(Object.keys(body.paths)).toContain('/api/docs/{docId}/tables/{tableId}/records')
    expect((await anonymous.get('/api/docs-ui')).headers.get('content-type')).toContain('text/html')
  })
})
