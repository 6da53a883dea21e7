import { validate } from '@apidevtools/swagger-parser'
import { createRest } from '@sheaf/testkit/rest'
import { createRouter } from '../src/app'
import { createOpenApiDocument, listServers } from '../src/openapi/openapi'
import { routes } from '../src/routes'
import { findUndescribed, type OpenApi } from './support/descriptions'
import { startStubbedGateway, type Handlers } from './support/stub-services'

const document = createOpenApiDocument(routes)
const described = Object.entries(document.paths ?? {}).flatMap(([path, item]) =>
  Object.keys(item).map((method) => `${method} ${path}`),
)

describe('the OpenAPI document', () => {
  it('is valid', async () => {
    // A copy: the validator resolves references in place.
    await validate(JSON.parse(JSON.stringify(document)) as Parameters<typeof validate>[0])
    expect(document.info.version).toBe('1.0.1')
  })

  it('describes every route that is served, and nothing else', () => {
    const aliases = routes.flatMap(({ method, alias }) => (alias ? [`${method} ${alias}`] : []))
    const served = createRouter(routes).stack.flatMap(({ route }) => {
      const { methods, path } = route as unknown as { methods: object; path: readonly string[] }
      return Object.keys(methods).flatMap((method) =>
        path.map((one) => `${method} ${one.replaceAll(/:(\w+)/g, '{$1}')}`),
      )
    })
    expect([...described, ...aliases].sort()).toEqual([...served].sort())
  })

  it('has the operations of the interface', () => {
    const docs = '/api/docs/{docId}'
    const table = `${docs}/tables/{tableId}`
    expect(described).toEqual(
      expect.arrayContaining([
        'get /api/orgs',
        'get /api/orgs/{orgId}',
        'patch /api/orgs/{orgId}',
        'get /api/orgs/{orgId}/workspaces',
        'post /api/orgs/{orgId}/workspaces',
        'get /api/workspaces/{workspaceId}',
        'patch /api/workspaces/{workspaceId}',
        'post /api/workspaces/{workspaceId}/docs',
        `get ${docs}`,
        `patch ${docs}`,
        `get ${docs}/tables`,
        `post ${docs}/tables`,
        `get ${table}/columns`,
        `post ${table}/columns`,
        `get ${table}/records`,
        `post ${table}/records`,
        `patch ${table}/records`,
        `post ${table}/data/delete`,
      ]),
    )
  })

  const headersOf = (item?: { responses?: Record<string, { headers?: object }> }) =>
    Object.keys(item?.responses?.['200']?.headers ?? {})

  it('tells that changes have an ETag', () => {
    const changes = document.paths?.['/api/docs/{docId}/changes']?.get
    expect(headersOf(changes)).toEqual(['Preference-Applied', 'ETag'])
  })

  it('tells the headers of a page of records', () => {
    const records = '/api/docs/{docId}/tables/{tableId}/records'
    const { paths } = document
    const ofPage = ['Preference-Applied', 'ETag', 'X-Total-Count', 'X-Next-Cursor', 'Link']
    expect(headersOf(paths?.[records]?.get)).toEqual(ofPage)
    expect(headersOf(paths?.[`${records}/list`]?.post)).toEqual(ofPage)
    expect(headersOf(paths?.[records]?.post)).toEqual(['Preference-Applied', 'ETag'])
  })

  it('tells the forms in which records can be asked for, of which only JSON has a schema', () => {
    const records = '/api/docs/{docId}/tables/{tableId}/records'
    const successOf = (item?: { responses?: object }) =>
      (item?.responses as Record<string, { content: object; description: string }>)['200']
    const { paths } = document
    for (const item of [paths?.[records]?.get, paths?.[`${records}/list`]?.post]) {
      expect(Object.keys(successOf(item)?.content ?? {})).toEqual(['application/json'])
      expect(successOf(item)?.description).toContain(
        '`Accept` also selects `application/x-ndjson`, `text/csv`, `application/vnd.apache.arrow.stream`.',
      )
    }
    expect(successOf(paths?.[records]?.post)?.description).not.toContain('Accept')
  })

  it('has the statuses of conflicts, ranges and unchanged copies', () => {
    const statusesOf = (method: 'get' | 'post', path: string) =>
      Object.keys(document.paths?.[path]?.[method]?.responses ?? {}).map(Number)
    const doc = '/api/docs/{docId}'
    expect(statusesOf('get', `${doc}/attachments/{attachmentId}/download`)).toEqual(
      expect.arrayContaining([206, 304, 416]),
    )
    expect(statusesOf('get', `${doc}/changes`)).toContain(409)
    expect(statusesOf('post', `${doc}/changes/{seq}/revert`)).toContain(409)
    expect(statusesOf('post', `${doc}/tables/{tableId}/records`)).toEqual(
      expect.arrayContaining([200, 400, 401, 403, 404, 412, 413, 415, 422, 429, 500, 503, 504]),
    )
  })

  it('describes every operation, parameter, header, schema and property', () => {
    expect(findUndescribed(JSON.parse(JSON.stringify(document)) as OpenApi)).toEqual([])
  })

  it('has media types without parameters, since clients compare them as they are', () => {
    const types = routes.flatMap(({ success: { mediaType = '', otherMediaTypes = [] } }) => [
      mediaType,
      ...otherMediaTypes,
    ])
    expect(types).toContain('text/csv')
    expect(types.filter((type) => type.includes(';'))).toEqual([])
  })

  it('names each operation once', () => {
    const ids = routes.map(({ id }) => id)
    expect(new Set(ids).size).toBe(ids.length)
  })

  it('has absolute server URLs: the public one, or the one that the request was sent to', async () => {
    const serversAt = async (config: Handlers['config'], headers = {}) => {
      await using system = await startStubbedGateway({ config })
      const { body } = await createRest(system.url).get<typeof document>('/api/openapi.json', {
        headers,
      })
      return body.servers?.map(({ url }) => url.replace(system.url, 'http://gateway'))
    }
    expect(await serversAt({})).toEqual(['http://gateway', 'http://gateway/o/{domain}'])
    const publicUrl = 'https://sheaf.example.org'
    expect(await serversAt({ publicUrl })).toEqual([publicUrl, `${publicUrl}/o/{domain}`])
    const [behindProxy] = (await serversAt({ proxies: 1 }, { 'x-forwarded-proto': 'https' })) ?? []
    expect(behindProxy).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/)
  })

  it('is served, as is its page, without a key', async () => {
    await using system = await startStubbedGateway()
    const rest = createRest(system.url)
    expect((await rest.get('/api/openapi.json')).body).toEqual({
      ...(JSON.parse(JSON.stringify(document)) as object),
      servers: listServers(system.url),
    })
    const page = await rest.get('/o/acme/api/docs-ui')
    const html = page.raw.toString()
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(page.headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; style-src 'sha256-.{44}'; /,
    )
    for (const { path, summary } of routes) {
      expect(html).toContain(path)
      expect(html).toContain(summary.replaceAll('`', '').slice(0, 20))
    }
    expect(html).not.toMatch(/<script|src=|url\(|https?:\/\//)
  })
})
