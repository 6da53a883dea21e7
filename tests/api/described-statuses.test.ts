import { testHost } from '@sheaf/testkit/engines'
import { eventually } from '@sheaf/testkit/eventually'
import { useOwnSystem } from '../support/system'

const system = useOwnSystem()

/* Every other suite of the system relies on this check without seeing it: tests/support/check-statuses.ts. */
describe('the check of the statuses that suites see', () => {
  it('collects them from the log of a running Sheaf', async () => {
    const { rest } = system.alice
    expect((await rest.get('/api/orgs')).status).toBe(200)
    expect((await rest.get('/api/docs/no-such-document')).status).toBe(404)
    const seen = new Set<string>()
    await eventually(() => {
      for (const response of system.sheaf.takeStatuses()) seen.add(response)
      return seen.has('GET /api/orgs 200') && seen.has('GET /api/docs/{docId} 404')
    })
  })

  it('finds a response that the OpenAPI document does not describe', async () => {
    const seen = ['GET /api/orgs 200', 'GET /api/orgs 418', 'PUT /api/orgs 200', 'GET /status 418']
    const worker = 'a worker without a Sheaf'
    expect(await testHost().findUndescribed({ worker, seen })).toEqual([
      'GET /api/orgs 418',
      'PUT /api/orgs 200',
    ])
  })
})
