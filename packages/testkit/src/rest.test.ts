import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createRest, readBody, toUrl } from './rest'

describe('toUrl', () => {
  it('puts the site before the path and keeps the base', () => {
    expect(toUrl('http://localhost:1/', '/api/orgs', { site: 'acme' })).toBe(
      'http://localhost:1/o/acme/api/orgs',
    )
  })

  it('adds to the query of the path, leaves undefined out and sends objects as JSON', () => {
    const query = { limit: 5, sort: undefined, filter: { Pop: [1] } }
    const url = new URL(toUrl('http://localhost:1', '/api/x?hidden=1', { query }))
    expect(Object.fromEntries(url.searchParams)).toEqual({
      hidden: '1',
      limit: '5',
      filter: '{"Pop":[1]}',
    })
  })

  it('leaves what is escaped in a path escaped', () => {
    expect(toUrl('http://localhost:1', '/api/a%2Fb', {})).toBe('http://localhost:1/api/a%2Fb')
  })
})

describe('readBody', () => {
  it.each(['application/json', 'application/json; charset=utf-8', 'application/problem+json'])(
    'parses %s',
    (contentType) => {
      expect(readBody(contentType, '{"a":[1]}')).toEqual({ a: [1] })
    },
  )

  it('gives anything else as text, and nothing for nothing', () => {
    expect(readBody('text/csv', '1,2')).toBe('1,2')
    expect(readBody(null, '1')).toBe('1')
    expect(readBody('application/json', '')).toBeUndefined()
  })
})

describe('createRest', () => {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const { method, url, headers } = request
      const sent = Buffer.concat(chunks).toString()
      response.writeHead(418, { 'content-type': 'application/json', 'x-test': 'yes' })
      response.end(JSON.stringify({ method, url, headers, sent }))
    })
  })
  beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)))
  afterAll(() => {
    server.closeAllConnections()
    server.close()
  })
  const rest = (key?: string) => {
    const { port } = server.address() as AddressInfo
    return createRest(`http://127.0.0.1:${port}`, key)
  }

  it('sends the key and a JSON body, and gives a 4xx as a reply', async () => {
    const reply = await rest('k1').patch('/api/docs/1', { body: { name: 'é' } })
    expect(reply.status).toBe(418)
    expect(reply.headers.get('x-test')).toBe('yes')
    expect(reply.body).toMatchObject({
      method: 'PATCH',
      url: '/api/docs/1',
      headers: { authorization: 'Bearer k1', 'content-type': 'application/json' },
      sent: '{"name":"é"}',
    })
    expect(JSON.parse(reply.raw.toString())).toEqual(reply.body)
    expect(JSON.parse(reply.text)).toEqual(reply.body)
  })

  it('sends text as it is, with the headers given', async () => {
    const headers = { 'content-type': 'application/json' }
    const { body } = await rest().post('/', { body: '{broken', headers })
    expect(body).toMatchObject({ sent: '{broken', headers })
    expect(body).not.toHaveProperty('headers.authorization')
  })
})
