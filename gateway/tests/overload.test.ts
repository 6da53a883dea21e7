import { AppError } from '@sheaf/kit/errors'
import { eventually } from '@sheaf/testkit/eventually'
import { createRest } from '@sheaf/testkit/rest'
import { RawConnection } from './support/raw-http'
import {
  DOC,
  startStubbedGateway,
  type Handlers,
  type StubbedGateway,
} from './support/stub-services'

const path = `/api/docs/${DOC}/tables/T/records`
const added = { rowIds: [1], seq: 1 }

/** The beginning of a request with a body of which only some is sent. */
const upload = (key: string, announced: number, sent: number) => [
  `POST ${path} HTTP/1.1`,
  'Host: sheaf',
  `Authorization: Bearer ${key}`,
  'Content-Type: application/json',
  `Content-Length: ${announced}`,
  '',
  ' '.repeat(sent),
]

/** What is answered to a body that is announced and not sent, which takes no room; empty when it is waited for. */
async function announce(url: string, length: number): Promise<string> {
  await using connection = await RawConnection.open(url)
  connection.send(upload('bob-key', length, 0))
  const answered = eventually(() => connection.received, { timeoutMs: 100 })
  return await answered.catch(() => '')
}

async function withGateway(
  handlers: Handlers,
  run: (system: StubbedGateway) => Promise<void>,
): Promise<void> {
  await using system = await startStubbedGateway(handlers)
  await run(system)
}

describe('a gateway with too much to do', () => {
  it('refuses requests beyond its limit at once, answers probes, and goes on when there is room', async () => {
    const waiting: (() => void)[] = []
    const addRecords = () =>
      new Promise<typeof added>((resolve) => waiting.push(() => resolve(added)))
    const limits = { requests: 2, bodyBytes: 1000, changeStreams: 1 }
    await withGateway({ records: { addRecords }, config: { limits } }, async ({ url }) => {
      const addAs = (key: string) => createRest(url, key).post(path, { body: { records: [] } })
      const first = [addAs('alice-key')]
      await eventually(() => waiting.length === 1)
      first.push(addAs('bob-key'))
      await eventually(() => waiting.length === 2)
      const refused = await createRest(url, 'carol-key').get('/api/orgs')
      expect(refused.status).toBe(503)
      expect(refused.headers.get('retry-after')).toBe('1')
      expect(refused.body).toMatchObject({ details: { reason: 'GATEWAY_BUSY' } })
      expect((await createRest(url).get('/status')).status).toBe(200)
      for (const answer of waiting.splice(0)) answer()
      expect((await Promise.all(first)).map(({ status }) => status)).toEqual([200, 200])
      const later = addAs('bob-key')
      await eventually(() => waiting.length === 1)
      waiting[0]?.()
      expect((await later).status).toBe(200)
    })
  })

  it('gives each user a share of its requests, and the others go on', async () => {
    const waiting: (() => void)[] = []
    const addRecords = () =>
      new Promise<typeof added>((resolve) => waiting.push(() => resolve(added)))
    const limits = { requests: 8, bodyBytes: 1000, changeStreams: 1 }
    await withGateway({ records: { addRecords }, config: { limits } }, async ({ url }) => {
      const addAs = (key: string) => createRest(url, key).post(path, { body: { records: [] } })
      const calls = [addAs('bob-key')]
      await eventually(() => waiting.length === 1)
      calls.push(addAs('bob-key'))
      await eventually(() => waiting.length === 2)
      const refused = await addAs('bob-key')
      expect(refused).toMatchObject({
        status: 429,
        body: { details: { reason: 'USER_BUSY', applied: false } },
      })
      calls.push(addAs('alice-key'))
      await eventually(() => waiting.length === 3)
      for (const answer of waiting) answer()
      for (const { status } of await Promise.all(calls)) expect(status).toBe(200)
    })
  })

  it('keeps no more of bodies than it has room for, counts what arrived, and leaves room for others', async () => {
    const config = { limits: { requests: 100, bodyBytes: 200_000, changeStreams: 1 } }
    const addRecords = async () => added
    await withGateway({ records: { addRecords }, config }, async ({ url }) => {
      const bodyOf = (bytes: number) => ({ body: { records: [], pad: 'x'.repeat(bytes) } })
      const bob = createRest(url, 'bob-key')
      {
        await using slow = await RawConnection.open(url)
        slow.send(upload('bob-key', 80_000, 40_000))
        const refused = await eventually(() => announce(url, 20_000))
        expect(refused).toMatch(/^HTTP\/1\.1 429 .*Retry-After: 1\r\n.*USER_BUSY/s)
        const alice = createRest(url, 'alice-key')
        expect((await alice.post(path, bodyOf(20_000))).status).toBe(200)
        expect((await alice.post(path, bodyOf(170_000))).status).toBe(503)
      }
      await eventually(async () => (await bob.post(path, bodyOf(80_000))).status === 200)
    })
  })

  it('ends an upload that stalls', async () => {
    const config = { timeouts: { stallMs: 50 } }
    await withGateway({ config }, async ({ url }) => {
      await using slow = await RawConnection.open(url)
      slow.send(upload('bob-key', 80_000, 10))
      await eventually(() => slow.received.includes('REQUEST_TIMEOUT'))
      expect(slow.received).toMatch(/^HTTP\/1\.1 504 /)
    })
  })
})

describe('Retry-After', () => {
  it.each([
    ['too_many', { retryAfterMs: '1001' }, '2'],
    ['too_many', {}, null],
    ['unavailable', { retryAfterMs: '100' }, '1'],
    ['unavailable', {}, '2'],
    ['conflict', { retryAfterMs: '100' }, null],
  ] as const)('of %s with %j is %s', async (code, metadata, expected) => {
    const addRecords = async () => {
      throw new AppError(code, 'SOME_REASON', 'no', metadata)
    }
    await withGateway({ records: { addRecords } }, async ({ url }) => {
      const { headers } = await createRest(url, 'bob-key').post(path, { body: { records: [] } })
      expect(headers.get('retry-after')).toBe(expected)
    })
  })
})
