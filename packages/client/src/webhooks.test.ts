import { cut, json, refuse, startServer } from '../tests/scripted-server.ts'
import { ConnectionError, InvalidRequestError, Sheaf, type Doc, type Webhooks } from './index.ts'

const retry = { firstDelayMs: 1, maxDelayMs: 2 }
const done = { success: true }
const secrets = { secret: 'whsec_b', previousSecret: null, previousUntil: null }
const fields = { url: 'https://example.com', tableId: 'People', eventTypes: ['add'] } as const

/** Each call with its body, the response of the API to it, and what it resolves to. */
const calls: readonly [string, (webhooks: Webhooks) => Promise<unknown>, unknown, unknown][] = [
  ['GET ', (webhooks) => webhooks.list(), { webhooks: [{ id: 'w' }] }, [{ id: 'w' }]],
  [
    `POST  ${JSON.stringify({ webhooks: [{ fields }, { fields }] })}`,
    (webhooks) => webhooks.create([fields, fields]),
    { webhooks: [{ id: 'v' }, { id: 'w' }] },
    ['v', 'w'],
  ],
  [
    'PATCH /w%2F1 {"enabled":false}',
    (webhooks) => webhooks.update('w/1', { enabled: false }),
    done,
    undefined,
  ],
  ['DELETE /w', (webhooks) => webhooks.delete('w'), done, undefined],
  ['DELETE /queue', (webhooks) => webhooks.clearQueues(), done, undefined],
  ['DELETE /w/queue', (webhooks) => webhooks.clearQueue('w'), done, undefined],
  ['GET /w/secret', (webhooks) => webhooks.secrets('w'), secrets, secrets],
  ['POST /w/secret', (webhooks) => webhooks.rotateSecret('w'), { secret: 's' }, 's'],
  ['POST /w/test', (webhooks) => webhooks.test('w'), { ...done, deliveryId: 'd' }, 'd'],
  [
    'POST /w/replay {"since":4}',
    (webhooks) => webhooks.replay('w', { since: 4 }),
    { queued: 2 },
    { queued: 2 },
  ],
  [
    'GET /w/deliveries/d%2F1',
    (webhooks) => webhooks.delivery('w', 'd/1'),
    { id: 'd/1', status: 'waiting' },
    { id: 'd/1', status: 'waiting' },
  ],
  ['POST /w/deliveries/d/redeliver', (webhooks) => webhooks.redeliver('w', 'd'), done, undefined],
]
const changes = calls.filter(([call]) => !call.startsWith('GET'))

describe('webhooks', () => {
  it.each(calls)('are called by %s', async (call, run, response, result) => {
    await using server = await startServer(json(response))
    const { webhooks } = new Sheaf({ url: server.url }).doc('d')
    expect(await run(webhooks)).toEqual(result)
    const [seen] = server.seen
    const sent = `${seen?.method} ${seen?.url} ${seen?.body}`
    expect(sent.trim()).toBe(call.replace(' ', ' /api/docs/d/webhooks'))
    expect(seen?.headers).not.toHaveProperty('idempotency-key')
  })

  it.each(changes)('are not changed twice when the connection breaks: %s', async (_, run) => {
    await using server = await startServer(cut(), json({ webhooks: [] }))
    const { webhooks } = new Sheaf({ url: server.url, retry }).doc('d')
    await expect(run(webhooks)).rejects.toBeInstanceOf(ConnectionError)
    expect(server.seen).toHaveLength(1)
  })

  it.each(changes)('have no dry run, so that it is refused: %s', async (_, run) => {
    await using server = await startServer(refuse(400, 'INVALID_PARAMETER'))
    const doc = new Sheaf({ url: server.url, retry }).doc('d')
    const tried = doc.dryRun((trial) => run((trial as Doc).webhooks))
    await expect(tried).rejects.toBeInstanceOf(InvalidRequestError)
    expect(server.seen.map(({ url }) => url?.endsWith('?dryRun=true'))).toEqual([true])
  })

  it('have a log of deliveries, which is read page by page', async () => {
    const deliveries = Array.from({ length: 130 }, (_, index) => ({ id: `d${index}` }))
    await using server = await startServer(
      json({ deliveries: deliveries.slice(0, 100) }),
      json({ deliveries: deliveries.slice(100) }),
    )
    const read = async (limit?: number) => {
      const found: string[] = []
      for await (const { id } of new Sheaf({ url: server.url })
        .doc('d')
        .webhooks.deliveries('w', { limit }))
        found.push(id)
      return found
    }
    expect(await read()).toEqual(deliveries.map(({ id }) => id))
    await read(30)
    expect(server.seen.map(({ url }) => url)).toEqual(
      ['limit=100', 'before=d99&limit=100', 'limit=30'].map(
        (query) => `/api/docs/d/webhooks/w/deliveries?${query}`,
      ),
    )
  })
})
