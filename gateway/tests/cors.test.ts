import { sendRequest } from './support/http-request'
import { startStubbedGateway, type StubbedGateway } from './support/stub-services'

let system: StubbedGateway
beforeAll(async () => {
  system = await startStubbedGateway({
    orgs: { listOrgs: async () => ({ orgs: [] }) },
    config: { baseDomain: 'sheaf.test', allowedOrigins: ['https://app.test'] },
  })
})
afterAll(() => system[Symbol.asyncDispose]())

const ask = (headers: Record<string, string>, method = 'GET') =>
  sendRequest(`${system.url}/api/orgs`, {
    method,
    headers: { host: 'acme.sheaf.test', ...headers },
  })

const requestHeaders =
  'Content-Type, Idempotency-Key, If-Match, If-None-Match, Last-Event-ID, Mcp-Method, Mcp-Name, MCP-Protocol-Version, Prefer, X-Request-Id, X-Requested-With'
const trusted = {
  'access-control-allow-credentials': 'true',
  'access-control-allow-headers': `Authorization, ${requestHeaders}`,
  'access-control-allow-methods': 'GET, PATCH, PUT, POST, DELETE, OPTIONS',
  'access-control-expose-headers':
    'ETag, Link, Preference-Applied, RateLimit, RateLimit-Policy, Retry-After, X-Next-Cursor, X-Pending-Columns, X-Request-Id, X-Total-Count',
}

describe('cross-origin requests', () => {
  it.each([
    'http://acme.sheaf.test',
    'https://acme.sheaf.test',
    'https://other.sheaf.test:8443',
    'https://sheaf.test',
  ])('are trusted from %s', async (origin) => {
    const reply = await ask({ origin, authorization: 'Bearer alice-key' })
    expect(reply.status).toBe(200)
    expect(reply.headers).toMatchObject({
      ...trusted,
      'access-control-allow-origin': origin,
      vary: 'Origin',
    })
  })

  it.each(['https://evil.test', 'https://sheaf.test.evil.test', 'https://notsheaf.test'])(
    'are anonymous from %s',
    async (origin) => {
      const reply = await ask({ origin })
      expect(reply.status).toBe(200)
      expect(reply.headers).toMatchObject({
        'access-control-allow-origin': '*',
        'access-control-allow-headers': requestHeaders,
      })
      expect(reply.headers).not.toHaveProperty('access-control-allow-credentials')
    },
  )

  it('may have a key, but no session, from an allowed origin', async () => {
    const origin = 'https://app.test'
    const reply = await ask({ origin, authorization: 'Bearer alice-key' })
    expect(reply.status).toBe(200)
    expect(reply.headers).toMatchObject({
      'access-control-allow-origin': origin,
      'access-control-allow-headers': `Authorization, ${requestHeaders}`,
      vary: 'Origin',
    })
    expect(reply.headers).not.toHaveProperty('access-control-allow-credentials')
    expect((await ask({ origin, cookie: 'sheaf_session=a' })).status).toBe(403)
    expect((await ask({ origin: `${origin}:444`, authorization: 'Bearer a' })).status).toBe(403)
    const preflight = { origin, 'access-control-request-headers': 'authorization,if-match' }
    expect(await ask(preflight, 'OPTIONS')).toMatchObject({
      status: 200,
      headers: { 'access-control-allow-headers': `Authorization, ${requestHeaders}` },
    })
  })

  it('are refused with credentials from a foreign page', async () => {
    for (const credentials of [{ authorization: 'Bearer alice-key' }, { cookie: 'a=b' }]) {
      const reply = await ask({ origin: 'https://evil.test', ...(credentials as object) })
      expect(reply.status).toBe(403)
      expect(reply.body).toMatchObject({
        error: 'Credentials not supported for cross-origin requests',
      })
      expect(reply.headers).not.toHaveProperty('access-control-allow-origin')
    }
  })

  it('are refused with credentials from a page that came by plain HTTP, where people use TLS', async () => {
    const baseDomain = 'sheaf.test'
    await using behindTls = await startStubbedGateway({
      orgs: { listOrgs: async () => ({ orgs: [] }) },
      config: { baseDomain, publicUrl: 'https://sheaf.test' },
    })
    const statusFrom = async (origin: string, host: string) =>
      (
        await sendRequest(`${behindTls.url}/api/orgs`, {
          method: 'GET',
          headers: { host, origin, authorization: 'Bearer alice-key' },
        })
      ).status
    for (const host of [baseDomain, `acme.${baseDomain}`]) {
      expect(await statusFrom(`http://${host}`, host)).toBe(403)
      expect(await statusFrom(`https://${host}`, host)).toBe(200)
    }
  })

  it('are refused from an origin that is none', async () => {
    for (const origin of ['null', 'nonsense', '/x']) {
      const reply = await ask({ origin })
      expect(reply).toMatchObject({ status: 400, body: { error: `Invalid origin: ${origin}` } })
    }
  })

  it('get their answer to OPTIONS', async () => {
    const reply = await ask({ origin: 'https://evil.test' }, 'OPTIONS')
    expect(reply).toMatchObject({ status: 200, body: 'OK' })
    expect(reply.headers['access-control-allow-origin']).toBe('*')
  })
})

describe('without a base domain', () => {
  it('the same host and port is trusted, another port is not', async () => {
    await using plain = await startStubbedGateway()
    const preflight = (origin?: string) =>
      fetch(`${plain.url}/api/anything`, { method: 'OPTIONS', headers: origin ? { origin } : {} })
    const same = await preflight(plain.url)
    expect([same.status, await same.text()]).toEqual([200, 'OK'])
    expect(same.headers.get('access-control-allow-origin')).toBe(plain.url)
    const other = await preflight('http://127.0.0.1:1')
    expect(other.headers.get('access-control-allow-origin')).toBe('*')
    const none = await preflight()
    expect(Object.fromEntries(none.headers)).toMatchObject(trusted)
  })
})
