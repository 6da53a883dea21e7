import { eventually } from '@sheaf/testkit/eventually'
import { createRest } from '@sheaf/testkit/rest'
import { DOC, startStubbedGateway, type Handlers } from './support/stub-services'

const handlers: Handlers = {
  orgs: { listOrgs: async () => ({ orgs: [] }) },
  tables: {
    listTables: async () => ({ tables: [], seq: 1 }),
    addTables: async () => ({ tableIds: ['T1'], seq: 1 }),
  },
}

const start = (rateLimit: number, proxies = 0) =>
  startStubbedGateway({ ...handlers, config: { rateLimit, proxies } })

const tables = `/api/docs/${DOC}/tables`

describe('the limit of a key', () => {
  it('is told with every answer, and when it is reached', async () => {
    await using system = await start(3)
    const alice = createRest(system.url, 'alice-key')
    const first = await alice.get('/api/orgs')
    expect(first.status).toBe(200)
    expect(first.headers.get('ratelimit-policy')).toBe('"key";q=3;w=60')
    expect(first.headers.get('ratelimit')).toMatch(/^"key";r=2;t=2[01]$/)
    expect((await alice.get(tables)).headers.get('ratelimit')).toMatch(/^"key";r=1;t=/)
    await alice.get('/api/orgs')
    const refused = await alice.get(tables)
    expect(refused.status).toBe(429)
    expect(refused.body).toMatchObject({ details: { reason: 'RATE_LIMITED' } })
    expect(refused.headers.get('ratelimit')).toMatch(/^"key";r=0;t=/)
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(Number(refused.headers.get('retry-after'))).toBeLessThanOrEqual(20)
  })

  it('is its own: other keys and anonymous callers go on', async () => {
    await using system = await start(2)
    for (let i = 0; i < 4; i++) await createRest(system.url, 'alice-key').get('/api/orgs')
    expect((await createRest(system.url, 'alice-key').get('/api/orgs')).status).toBe(429)
    expect((await createRest(system.url, 'bob-key').get('/api/orgs')).status).toBe(200)
    expect((await createRest(system.url).get('/api/orgs')).status).toBe(200)
    expect((await createRest(system.url, 'alice-key').get('/status')).status).toBe(200)
  })

  it('counts what is refused too, and directory is not asked beyond it', async () => {
    await using system = await start(2)
    const dan = createRest(system.url, 'dan-key')
    const statuses = []
    for (let i = 0; i < 4; i++) statuses.push((await dan.get(tables)).status)
    expect(statuses).toEqual([403, 403, 429, 429])
    expect(system.access.questions).toHaveLength(2)
  })

  it('is checked before the body is read', async () => {
    await using system = await start(1)
    const bob = createRest(system.url, 'bob-key')
    await bob.get('/api/orgs')
    const headers = { 'content-type': 'application/json' }
    expect((await bob.post(tables, { body: '{', headers })).status).toBe(429)
  })
})

describe('the limit of an address', () => {
  it('holds for requests without a key', async () => {
    await using system = await start(2)
    const nobody = createRest(system.url)
    const statuses = []
    for (let i = 0; i < 4; i++) statuses.push((await nobody.get('/api/orgs')).status)
    expect(statuses).toEqual([200, 200, 429, 429])
    expect((await nobody.get('/api/orgs')).headers.get('retry-after')).not.toBeNull()
  })

  it('holds for wrong keys: beyond it those that are unknown are not looked up', async () => {
    await using system = await start(1000)
    await createRest(system.url, 'alice-key').get('/api/orgs')
    const begun = performance.now()
    const guess = (i: number) => createRest(system.url, `guess-${i}`).get('/api/orgs')
    const replies = await Promise.all(Array.from({ length: 130 }, (_, i) => guess(i)))
    const statuses = replies.map(({ status }) => status)
    const lookedUp = statuses.filter((status) => status === 401).length
    expect(new Set(statuses)).toEqual(new Set([401, 429]))
    // A hundred a minute, and what that gains while they are presented.
    const gained = Math.ceil(((performance.now() - begun) / 60_000) * 100)
    expect(lookedUp).toBeGreaterThanOrEqual(100)
    expect(lookedUp).toBeLessThanOrEqual(100 + gained)
    expect(system.access.questions).toHaveLength(1 + lookedUp)
    const known = () => createRest(system.url, 'alice-key').get('/api/orgs')
    await eventually(async () => (await known()).status === 200)
  })

  it('does not hold for keys that were good lately, when others of their address present wrong ones', async () => {
    await using system = await start(1000)
    const alice = createRest(system.url, 'alice-key')
    expect((await alice.get('/api/orgs')).status).toBe(200)
    const guess = (i: number) => createRest(system.url, `guess-${i}`).get('/api/orgs')
    const guesses = await Promise.all(Array.from({ length: 130 }, (_, i) => guess(i)))
    expect(guesses.some(({ status }) => status === 429)).toBe(true)
    // Not from the cache: every change of access empties it.
    for (let i = 0; i < 5; i++) {
      system.access.change()
      expect((await alice.get(tables)).status).toBe(200)
      await guess(200 + i)
    }
  })

  it('is not used up by keys that are right, however many come at once', async () => {
    await using system = await start(5_000)
    const ask = () => createRest(system.url, 'bob-key').get(tables)
    for (let round = 0; round < 4; round++) {
      system.access.change()
      const replies = await Promise.all(Array.from({ length: 60 }, ask))
      expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 200))
    }
  })

  it('is that of the client behind a trusted proxy', async () => {
    await using system = await start(1, 1)
    const from = (address: string) =>
      createRest(system.url).get('/api/orgs', { headers: { 'x-forwarded-for': address } })
    expect((await from('192.0.2.1')).status).toBe(200)
    expect((await from('192.0.2.1')).status).toBe(429)
    expect((await from('192.0.2.1, 192.0.2.2')).status).toBe(200)
  })

  it('is not escaped by a header that anybody can send', async () => {
    await using system = await start(1)
    const from = (address: string) =>
      createRest(system.url).get('/api/orgs', { headers: { 'x-forwarded-for': address } })
    expect((await from('192.0.2.1')).status).toBe(200)
    expect((await from('192.0.2.2')).status).toBe(429)
  })
})

it('no limit is set by 0, and none is told', async () => {
  await using system = await start(0)
  const alice = createRest(system.url, 'alice-key')
  const reply = await alice.get('/api/orgs')
  expect(reply.status).toBe(200)
  expect(reply.headers.get('ratelimit')).toBeNull()
})
