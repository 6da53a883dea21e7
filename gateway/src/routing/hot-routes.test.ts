import { routes } from '../routes'
import { createHotMatcher } from './hot-routes'

describe('hot routes', () => {
  const find = createHotMatcher(routes.filter(({ isHot }) => isHot))
  const path = '/api/docs/6kGLZ5j-5/tables/T.1/records'

  it.each([path, `${path}?limit=1`, `${path}?`])('match %s, with its parameters', (url) => {
    for (const method of ['GET', 'POST', 'PATCH'])
      expect(find(method, url)?.params).toEqual({ docId: '6kGLZ5j-5', tableId: 'T.1' })
  })

  it.each([
    ['HEAD', path],
    ['OPTIONS', path],
    ['DELETE', path],
    ['get', path],
    ['GET', `${path}/`],
    ['GET', `${path}/list`],
    ['GET', `/o/site${path}`],
    ['GET', `http://sheaf${path}`],
    ['GET', '/api/docs/a/tables/T%2F/records'],
    ['GET', '/api/docs/a/tables//records'],
    ['GET', '/API/docs/a/tables/T/records'],
    ['GET', '*'],
    ['GET', undefined],
  ])('leave %s %s to Express', (method, url) => {
    expect(find(method, url)).toBeUndefined()
  })
})
