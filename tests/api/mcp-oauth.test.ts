import {
  Client,
  discoverOAuthServerInfo,
  extractWWWAuthenticateParams,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client'
import { eventually } from '@sheaf/testkit/eventually'
import { createRest, type Rest } from '@sheaf/testkit/rest'
import { startSheaf, type RunningSheaf } from '@sheaf/testkit/sheaf'
import { ownPort } from '../support/own-port'
import { addRecords, addTable, newDocument, readRecords } from '../support/system'
import { add } from '../support/agents'
import { TokenProvider, type TokenFaults } from '../support/token-provider'

let sheaf: RunningSheaf
let provider: TokenProvider
/** A client with the key of the first owner. */
let owner: Rest
let doc: string

beforeAll(async () => {
  const port = await ownPort()
  provider = await TokenProvider.start(`http://127.0.0.1:${port}`)
  sheaf = await startSheaf({
    env: { ...provider.env, SHEAF_PORT: String(port), SHEAF_LOG_LEVEL: 'debug' },
  })
  for (const user of ['bob', 'carol', 'dan']) await sheaf.createUser(`${user}@example.com`, user)
  owner = createRest(sheaf.url, sheaf.ownerKey)
})
afterAll(async () => {
  await sheaf?.[Symbol.asyncDispose]()
  await provider?.[Symbol.asyncDispose]()
})
beforeEach(async () => {
  doc = await newDocument(owner, 'Harbour')
  await addTable(owner, doc, 'Boats', { Name: 'Text' })
  await addRecords(owner, `${doc}/tables/Boats`, [{ Name: 'Ada' }])
  await share({ 'bob@example.com': 'editors', 'carol@example.com': 'viewers' })
})

async function share(users: Readonly<Record<string, string | null>>) {
  const { status } = await owner.patch(`${doc}/access`, { body: { delta: { users } } })
  expect(status).toBe(200)
}

const boats = async () =>
  (await readRecords(owner, `${doc}/tables/Boats`)).map(({ fields }) => fields.Name)

/** Calls a tool with the official client. */
async function callTool(token: string, name: string, args: object) {
  const requestInit = { headers: { Authorization: `Bearer ${token}` } }
  const client = new Client({ name: 'tests', version: '1' })
  await client.connect(
    new StreamableHTTPClientTransport(new URL('/mcp', sheaf.url), { requestInit }),
  )
  try {
    const { content, isError = false } = await client.callTool({ name, arguments: { ...args } })
    const [first] = content
    return { isError, text: first?.type === 'text' ? first.text : '' }
  } finally {
    await client.close()
  }
}

const docId = () => doc.slice('/api/docs/'.length)
const write = (token: string, name: string, more: object = {}) =>
  callTool(token, 'write', { docId: docId(), operations: add(name), ...more })

/** Sends a write with the token, without a client. */
function send(token: string | undefined, path = '/mcp') {
  return fetch(new URL(path, sheaf.url), {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'write', arguments: { docId: docId(), operations: add('Never') } },
    }),
  })
}

/** Sends the same, and reads the answer. */
async function post(token: string | undefined, path?: string) {
  const response = await send(token, path)
  const body = (await response.json()) as { error?: string; details?: { reason: string } }
  const challenge = response.headers.get('www-authenticate')
  return { status: response.status, body, reason: body.details?.reason, challenge }
}

const now = () => Math.floor(Date.now() / 1000)
const metadataPath = '/.well-known/oauth-protected-resource'

it('agents with keys can work while the identity provider is down, and those with tokens after it', async () => {
  provider.isDown = true
  const token = provider.createAccessToken('bob')
  expect(await post(token)).toMatchObject({ status: 503, reason: 'OIDC_UNAVAILABLE' })
  expect(await boats()).toEqual(['Ada'])
  expect(await write(sheaf.ownerKey, 'Bea')).toMatchObject({ isError: false })
  provider.isDown = false
  await eventually(async () => (await post(token)).status === 200)
})

it('clients find the identity provider by the metadata of the resource', async () => {
  for (const path of [metadataPath, `${metadataPath}/mcp`])
    expect(await createRest(sheaf.url).get(path)).toMatchObject({
      status: 200,
      body: {
        resource: `${sheaf.url}/mcp`,
        authorization_servers: [provider.env.SHEAF_OIDC_ISSUER],
        bearer_methods_supported: ['header'],
        scopes_supported: ['openid', 'email'],
        resource_name: 'Sheaf',
      },
    })
  const { resourceMetadataUrl } = extractWWWAuthenticateParams(await send(undefined))
  const info = await discoverOAuthServerInfo(`${sheaf.url}/mcp`, { resourceMetadataUrl })
  expect(info).toMatchObject({
    authorizationServerUrl: provider.env.SHEAF_OIDC_ISSUER,
    resourceMetadata: { resource: `${sheaf.url}/mcp` },
  })
})

it('a refused request names the metadata', async () => {
  const found = `Bearer resource_metadata="${sheaf.url}${metadataPath}/mcp"`
  expect(await post(undefined)).toMatchObject({ status: 401, challenge: found })
  for (const token of ['shf_wrong', provider.createAccessToken('bob', { isForged: true })])
    expect(await post(token)).toMatchObject({
      status: 401,
      challenge: `${found}, error="invalid_token"`,
    })
  const elsewhere = await post('shf_wrong', `${doc}/batch`)
  expect(elsewhere).toMatchObject({ status: 401, challenge: 'Bearer' })
})

describe('an access token', () => {
  it('lets an agent act as its user, and an API key still does', async () => {
    const token = provider.createAccessToken('bob')
    expect(await write(token, 'Bea')).toMatchObject({ isError: false })
    expect(await write(sheaf.ownerKey, 'Cid')).toMatchObject({ isError: false })
    expect(await boats()).toEqual(['Ada', 'Bea', 'Cid'])
    const found = await callTool(token, 'find_documents', {})
    expect(found.text).toContain(docId())
    const history = await callTool(token, 'list_history', { docId: docId() })
    expect(history.text).toContain('bob')
  })

  it.each<[string, TokenFaults]>([
    ['an address in other case', { claims: { email: 'Bob@Example.com' } }],
    ['several audiences', {}],
    ['the type of providers that do not follow RFC 9068', { header: { alg: 'RS256', typ: 'JWT' } }],
    ['no type', { header: { alg: 'RS256', kid: 'own' } }],
  ])('is accepted with %s', async (name, faults) => {
    const aud = name === 'several audiences' ? ['account', `${sheaf.url}/mcp`] : undefined
    const token = provider.createAccessToken('bob', aud ? { claims: { aud } } : faults)
    expect(await write(token, 'Bea')).toMatchObject({ isError: false })
  })

  it('gives the roles of its user, and no others', async () => {
    const viewer = provider.createAccessToken('carol')
    expect(await callTool(viewer, 'read_rows', { docId: docId(), tableId: 'Boats' })).toMatchObject(
      { isError: false },
    )
    const stranger = provider.createAccessToken('dan')
    for (const token of [viewer, stranger]) {
      const refused = await write(token, 'Never')
      expect([refused.isError, refused.text]).toEqual([
        true,
        expect.stringContaining('ACCESS_DENIED'),
      ])
    }
    expect(await boats()).toEqual(['Ada'])
  })

  it('stops working for a document at the next call when its user loses access', async () => {
    const token = provider.createAccessToken('bob')
    expect(await write(token, 'Bea')).toMatchObject({ isError: false })
    await share({ 'bob@example.com': null })
    expect(await write(token, 'Never')).toMatchObject({ isError: true })
    expect(await boats()).toEqual(['Ada', 'Bea'])
  })

  it('stops working at the next call when its user is deleted', async () => {
    const { id, key } = await sheaf.createUser('gone@example.com', 'Gone')
    const token = provider.createAccessToken('gone')
    expect(await callTool(token, 'find_documents', {})).toMatchObject({ isError: false })
    const rest = createRest(sheaf.url, key)
    expect((await rest.delete(`/api/users/${id}`, { body: { name: 'Gone' } })).status).toBe(200)
    expect(await post(token)).toMatchObject({ status: 403, reason: 'NOT_INVITED' })
  })

  it('stops working when it expires', async () => {
    const token = provider.createAccessToken('carol', { claims: { exp: now() + 15 } })
    expect(await callTool(token, 'find_documents', {})).toMatchObject({ isError: false })
    await eventually(async () => (await post(token)).reason === 'INVALID_ACCESS_TOKEN')
  })

  it('lets people who were invited act before they sign in', async () => {
    await share({ 'ivy@example.com': 'editors' })
    const token = provider.createAccessToken('ivy')
    expect(await write(token, 'Bea')).toMatchObject({ isError: false })
    const found = await callTool(token, 'find_documents', {})
    expect([found.isError, found.text]).toEqual([false, expect.stringContaining(docId())])
  })

  it('makes a repeated change once, also with a renewed token', async () => {
    const requestId = '0b7a3e0e-6c56-4b35-9a52-5f0c2f1f4a11'
    const tokens = [1, 2].map((jti) => provider.createAccessToken('bob', { claims: { jti } }))
    for (const token of tokens) await write(token, 'Once', { requestId })
    expect(await boats()).toEqual(['Ada', 'Once'])
  })

  it('is good for the tools for agents alone', async () => {
    const token = provider.createAccessToken('bob')
    for (const key of [token, token.slice(0, 400)]) {
      const rest = createRest(sheaf.url, key)
      for (const path of [`${doc}/tables`, '/api/orgs', '/api/profile/apikeys'])
        expect(await rest.get(path)).toMatchObject({
          status: 401,
          body: { details: { reason: 'INVALID_API_KEY' } },
        })
    }
  })
})

describe('refuses, and does nothing for,', () => {
  it.each<[string, TokenFaults]>([
    ['another audience', { claims: { aud: 'https://other.example/mcp' } }],
    ['the address of Sheaf as audience', { claims: { aud: 'ORIGIN' } }],
    ['no audience', { claims: { aud: undefined } }],
    ['another issuer', { claims: { iss: 'https://other.example' } }],
    ['an expiry in the past', { claims: { exp: now() - 1 } }],
    ['no expiry', { claims: { exp: undefined } }],
    ['a beginning in the future', { claims: { nbf: now() + 3_600 } }],
    ['the signature of another key', { isForged: true }],
    ['an unknown key id', { isForged: true, header: { alg: 'RS256', kid: 'x', typ: 'at+jwt' } }],
    ['no signature', { header: { alg: 'none', kid: 'own', typ: 'at+jwt' } }],
    ['the public key as a secret', { header: { alg: 'HS256', kid: 'own', typ: 'at+jwt' } }],
    ['another type', { header: { alg: 'RS256', kid: 'own', typ: 'logout+jwt' } }],
    ['more than 8 KiB', { claims: { padding: 'x'.repeat(8192) } }],
  ])('a token with %s', async (_, { claims, ...faults }) => {
    const given = claims?.aud === 'ORIGIN' ? { aud: sheaf.url } : claims
    const token = provider.createAccessToken('bob', { ...faults, ...(given && { claims: given }) })
    expect(await post(token)).toMatchObject({
      status: 401,
      reason: 'INVALID_ACCESS_TOKEN',
      challenge: expect.stringContaining('error="invalid_token"') as string,
    })
    expect(await boats()).toEqual(['Ada'])
  })

  it.each<[string, TokenFaults, string]>([
    ['no address', { claims: { email: undefined } }, 'UNVERIFIED_EMAIL'],
    ['an address not verified', { claims: { email_verified: false } }, 'UNVERIFIED_EMAIL'],
    ['an address verified by a text', { claims: { email_verified: 'true' } }, 'UNVERIFIED_EMAIL'],
    ['an address of nobody', { claims: { email: 'new@example.com' } }, 'NOT_INVITED'],
    ['the address of the public', { claims: { email: 'everyone@getgrist.com' } }, 'NOT_INVITED'],
  ])('a token with %s', async (_, faults, reason) => {
    const answer = await post(provider.createAccessToken('bob', faults))
    expect(answer).toMatchObject({ status: 403, reason })
    expect(await boats()).toEqual(['Ada'])
    expect(await sheaf.operate('users', 'list')).not.toContain('new@example.com')
  })

  it('an ID token', async () => {
    expect(await post(provider.createIdToken())).toMatchObject({
      status: 401,
      reason: 'INVALID_ACCESS_TOKEN',
      body: { error: expect.stringContaining(`must contain ${sheaf.url}/mcp`) as string },
    })
  })

  it('texts that are no tokens', async () => {
    const [head = '', body = '', signature = ''] = provider.createAccessToken('bob').split('.')
    for (const text of [`${head}.${body}.`, `.${body}.${signature}`, 'a.b.c', 'a.b.c.d.e', '..'])
      expect(await post(text)).toMatchObject({ status: 401 })
    expect(await boats()).toEqual(['Ada'])
  })
})

it('tokens with unknown key ids do not make Sheaf fetch the keys each time', async () => {
  await write(provider.createAccessToken('bob'), 'Bea')
  const before = provider.keyFetches
  const began = performance.now()
  for (let i = 0; i < 20; i++) {
    const header = { alg: 'RS256', kid: `unknown-${i}`, typ: 'at+jwt' }
    expect(await post(provider.createAccessToken('bob', { header }))).toMatchObject({ status: 401 })
  }
  // The keys are fetched again every 30 s at most.
  const most = 1 + Math.floor((performance.now() - began) / 30_000)
  expect(provider.keyFetches - before).toBeLessThanOrEqual(most)
})

it('what Sheaf prints has neither tokens nor addresses of their users', async () => {
  const good = provider.createAccessToken('bob')
  const bad = provider.createAccessToken('secret-name', { isForged: true })
  const unknown = provider.createAccessToken('unknown-name')
  await write(good, 'Bea')
  for (const token of [bad, unknown]) await post(token)
  const output = sheaf.output()
  for (const token of [good, bad, unknown])
    for (const part of token.split('.').slice(1)) expect(output).not.toContain(part)
  for (const name of ['bob@', 'secret-name', 'unknown-name']) expect(output).not.toContain(name)
})
