import { routes } from '../routes'
import { createMethodFinder } from './unmatched'

describe('createMethodFinder', () => {
  const find = createMethodFinder(routes)
  const table = '/api/docs/abc/tables/People'

  it('names the methods of the path, with those that every path has', () => {
    expect(find('DELETE', '/api/orgs')?.allowed).toEqual(['GET', 'HEAD', 'OPTIONS', 'POST'])
    expect(find('GET', '/api/docs/abc/apply')?.allowed).toEqual(['OPTIONS', 'POST'])
    expect(find('GET', '/api/docs/abc/apply/')?.allowed).toEqual(['OPTIONS', 'POST'])
    expect(find('PUT', '/api/docs/abc/webhooks/def/queue')?.allowed).toEqual(['DELETE', 'OPTIONS'])
    expect(find('PUT', '/api/docs/abc/webhooks/queue/def')?.allowed).toEqual(['DELETE', 'OPTIONS'])
  })

  it.each([
    ['DELETE', `${table}/records`, 'POST /api/docs/{docId}/tables/{tableId}/records/delete'],
    ['DELETE', `${table}/data`, 'POST /api/docs/{docId}/tables/{tableId}/data/delete'],
    ['DELETE', `${table}/columns`, 'DELETE /api/docs/{docId}/tables/{tableId}/columns/{columnId}'],
    ['PUT', '/api/docs/abc', 'PATCH /api/docs/{docId}'],
    ['PATCH', '/api/orgs', 'PATCH /api/orgs/{orgId}'],
    ['DELETE', '/api/docs/abc/apply', undefined],
  ])('suggests what does the same: %s %s', (method, path, suggestion) => {
    expect(find(method, path)?.suggestion).toBe(suggestion)
  })

  it.each([
    '/api/nope',
    '/api/orgs/1/nope',
    '/api/docs/abc/nope',
    `${table}/nope`,
    '/api/openapiXjson',
  ])('finds nothing for a path that does not exist: %s', (path) =>
    expect(find('GET', path)).toBeUndefined(),
  )
})
