import { SeenStatuses } from './seen-statuses'

const line = (method: string, route: string, status: number) =>
  `${JSON.stringify({ level: 30, method, route, status, msg: 'request' })}\n`

describe('the statuses seen in a log', () => {
  it('are those of matched routes, once, from lines in any parts', () => {
    const seen = new SeenStatuses()
    const text = [
      line('GET', '/api/orgs', 200),
      line('HEAD', '/api/orgs', 200),
      line('POST', '/api/orgs', 400),
      `gateway ${line('GET', '/api/docs/{docId}', 404)}`,
      line('GET', 'none', 404),
      line('GET', '/api/session', 499),
      'sheaf is ready "msg":"request"\n',
    ].join('')
    for (const part of text.match(/[^]{1,7}/g) ?? []) seen.add(part)
    expect(seen.take()).toEqual([
      'GET /api/orgs 200',
      'POST /api/orgs 400',
      'GET /api/docs/{docId} 404',
    ])
    expect(seen.take()).toEqual([])
  })
})
