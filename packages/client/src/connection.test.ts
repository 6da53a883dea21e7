import { inspect } from 'node:util'
import { cut, hang, json, refuse, startServer, type Reply } from '../tests/scripted-server.ts'
import {
  ConnectionError,
  InvalidRequestError,
  PermissionError,
  RateLimitedError,
  Sheaf,
  SheafError,
  TimeoutError,
  UnavailableError,
} from './index.ts'

const KEY = 'shf_secret'
const quick = { firstDelayMs: 1, maxDelayMs: 2, attempts: 4 }
const busy = refuse(503, 'SERVICE_BUSY', { headers: { 'retry-after': '0' } })

function createDoc(url: string, retry = {}) {
  return new Sheaf({ url, key: KEY, retry: { ...quick, ...retry } }).doc('d')
}

/** Rejects when a call hangs, so that its test fails soon and closes its server. */
function inTime<T>(call: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('the call hangs')), 10_000)
    call.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}

const errorOf = (call: Promise<unknown>): Promise<SheafError> =>
  inTime(call).then(
    () => Promise.reject(new Error('the call succeeded')),
    (error: SheafError) => error,
  )

describe('a read', () => {
  it.each<[string, Reply]>([
    ['503', busy],
    ['429 with Retry-After', refuse(429, 'RATE_LIMITED', { headers: { 'retry-after': '0' } })],
    ['504', refuse(504, 'DEADLINE_EXCEEDED')],
    ['a proxy that answers 502', (response) => response.writeHead(502).end('<h1>Bad</h1>')],
    ['a broken connection', cut()],
    ['a connection that breaks within the body', cut('{"tables":[')],
  ])('is repeated after %s', async (_, reply) => {
    await using server = await startServer(reply, reply, json({ tables: [] }))
    expect(await createDoc(server.url).tables()).toEqual([])
    expect(server.seen).toHaveLength(3)
  })

  it('is repeated when an attempt takes too long', async () => {
    await using server = await startServer(hang, json({ tables: [] }))
    expect(await createDoc(server.url, { attemptMs: 1_000 }).tables()).toEqual([])
  })

  it('ends with TimeoutError when no attempt is answered in time', async () => {
    await using server = await startServer(hang)
    const error = await errorOf(createDoc(server.url, { attempts: 2, attemptMs: 30 }).tables())
    expect(error).toBeInstanceOf(TimeoutError)
    expect(error).toMatchObject({ status: 0, reason: 'TIMED_OUT' })
  })

  it('ends with the last error after all attempts', async () => {
    await using server = await startServer(cut(), busy)
    const error = await errorOf(createDoc(server.url).tables())
    expect(error).toBeInstanceOf(UnavailableError)
    expect(error).not.toBeInstanceOf(ConnectionError)
    expect(error).toMatchObject({ status: 503, reason: 'SERVICE_BUSY', requestId: 'r-1' })
    expect(server.seen).toHaveLength(4)
  })

  it('is not repeated when the server asks for more time than is left', async () => {
    const reply = refuse(429, 'KEY_ROWS_PER_HOUR', { headers: { 'retry-after': '3000' } })
    await using server = await startServer(reply)
    const error = await errorOf(createDoc(server.url).tables())
    expect(error).toBeInstanceOf(RateLimitedError)
    expect(error.retryAfterMs).toBe(3_000_000)
    expect(server.seen).toHaveLength(1)
  })

  it('waits as long as the server asks', async () => {
    const reply = refuse(503, 'SERVICE_BUSY', { details: { retryAfterMs: '60' } })
    await using server = await startServer(reply, json({ tables: [] }))
    const start = performance.now()
    await createDoc(server.url).tables()
    expect(performance.now() - start).toBeGreaterThanOrEqual(59)
  })

  it.each<[number, string, new (...args: never[]) => SheafError]>([
    [400, 'INVALID_FILTER', InvalidRequestError],
    [403, 'ACCESS_DENIED', PermissionError],
    [429, 'TOO_MANY_KEYS', RateLimitedError],
    [500, 'INTERNAL', SheafError],
  ])('is not repeated after %s %s', async (status, reason, type) => {
    await using server = await startServer(refuse(status, reason, { details: { column: 'A' } }))
    const error = await errorOf(createDoc(server.url).tables())
    expect(error).toBeInstanceOf(type)
    expect(error).toMatchObject({ status, reason, name: type.name, details: { column: 'A' } })
    expect(server.seen).toHaveLength(1)
  })

  it.each([200, 404])('names a server that is no Sheaf: %s', async (status) => {
    await using server = await startServer((response) => response.writeHead(status).end('<html>'))
    const error = await errorOf(createDoc(server.url).tables())
    expect(error.reason).toBe('UNEXPECTED_RESPONSE')
    expect(error.message).toContain('is the URL that of Sheaf?')
  })
})

describe('a text', () => {
  const call = { method: 'GET', path: '/api/x', headers: { accept: 'text/csv' } } as const
  const text: Reply = (response) => response.end('id,Name\n')
  const stalls: Reply = (response) => response.writeHead(200).write('id,')
  const readText = (url: string, retry = {}) =>
    inTime(new Sheaf({ url, retry: { ...quick, ...retry } }).text(call))

  it.each<[string, Reply]>([
    ['stalls', stalls],
    ['breaks off', cut('id,')],
  ])('is read again when its body %s', async (_, reply) => {
    await using server = await startServer(reply, text)
    expect(await readText(server.url, { attemptMs: 1_000 })).toBe('id,Name\n')
    expect(server.seen[1]?.headers.accept).toBe('text/csv')
  })

  it('ends with TimeoutError when its body is never whole', async () => {
    await using server = await startServer(stalls)
    const error = await errorOf(readText(server.url, { attempts: 2, attemptMs: 30 }))
    expect(error).toBeInstanceOf(TimeoutError)
  })
})

describe('a write', () => {
  const added = json({ records: [{ id: 7 }] })

  it('has one key for all of its attempts, and another than the next write', async () => {
    await using server = await startServer(cut(), busy, cut('{'), added)
    const table = createDoc(server.url).table('People')
    expect(await table.add([{ Name: 'Ada' }])).toEqual([7])
    await table.add([{ Name: 'Ada' }])
    const keys = server.seen.map(({ headers }) => headers['idempotency-key'])
    expect(new Set(keys.slice(0, 4)).size).toBe(1)
    expect(keys[0]).toMatch(/^[0-9a-f]{32}$/)
    expect(keys[4]).not.toBe(keys[0])
    expect(new Set(server.seen.map(({ body }) => body)).size).toBe(1)
  })

  it('has the key of the caller', async () => {
    await using server = await startServer(added)
    const options = { idempotencyKey: 'order-17', ifMatch: 'W/"a.1"', strict: true, noParse: true }
    await createDoc(server.url).table('People').add([{}], options)
    expect(server.seen[0]).toMatchObject({
      url: '/api/docs/d/tables/People/records?noparse=true',
      headers: {
        authorization: `Bearer ${KEY}`,
        'idempotency-key': 'order-17',
        'if-match': 'W/"a.1"',
        prefer: 'handling=strict',
      },
    })
  })

  it('without a key is repeated only if it was never begun', async () => {
    const never = refuse(503, 'SERVICE_UNAVAILABLE', { details: { applied: false } })
    await using server = await startServer(never, busy, added)
    const write = createDoc(server.url).table('People').add([{}], { idempotencyKey: false })
    expect((await errorOf(write)).reason).toBe('SERVICE_BUSY')
    expect(server.seen).toHaveLength(2)
    expect(server.seen[0]?.headers).not.toHaveProperty('idempotency-key')
  })

  it('for which the API has no keys is not repeated after a broken connection', async () => {
    await using server = await startServer(cut(), json('new'))
    const create = new Sheaf({ url: server.url, retry: quick }).documents.create({
      workspaceId: 1,
      name: 'Test',
    })
    expect(await errorOf(create)).toBeInstanceOf(ConnectionError)
    expect(server.seen).toHaveLength(1)
  })
})

describe('a signal', () => {
  it.each<[string, Reply, object]>([
    ['while the server does not answer', hang, {}],
    ['within a body', (response) => response.writeHead(200).write('{'), {}],
    [
      'while a call waits to be repeated',
      refuse(503, 'BUSY'),
      { firstDelayMs: 60_000, maxDelayMs: 60_000 },
    ],
  ])('ends a call %s', async (_, reply, retry) => {
    await using server = await startServer(reply)
    const controller = new AbortController()
    jest.spyOn(Math, 'random').mockReturnValue(0.9)
    const call = createDoc(server.url, retry).tables({ signal: controller.signal })
    const ended = call.catch((error: unknown) => error)
    while (server.seen[0] === undefined) await new Promise(setImmediate)
    controller.abort(new Error('enough'))
    expect(await inTime(ended)).toEqual(new Error('enough'))
    expect(server.seen).toHaveLength(1)
    jest.restoreAllMocks()
  })

  it('that is aborted sends nothing', async () => {
    await using server = await startServer(json({}))
    const call = createDoc(server.url).tables({ signal: AbortSignal.abort() })
    await expect(call).rejects.toMatchObject({ name: 'AbortError' })
    expect(server.seen).toEqual([])
  })
})

describe('the key', () => {
  it('is in no error and in no text of the client', async () => {
    await using server = await startServer(cut())
    const sheaf = new Sheaf({ url: server.url, key: KEY, retry: quick })
    const error = await errorOf(sheaf.doc('d').tables())
    expect(inspect(error, { depth: 9, showHidden: true })).not.toContain(KEY)
    expect(inspect(sheaf, { depth: 9, showHidden: true })).not.toContain(KEY)
    expect(JSON.stringify(sheaf)).not.toContain(KEY)
  })

  it.each(['bad\nkey', 'k\u00e9y', ''])('%j is refused without being shown', (key) => {
    expect(() => new Sheaf({ url: 'http://localhost', key })).toThrow(
      new TypeError('the key must consist of visible ASCII characters'),
    )
  })

  it('is not sent to where a redirect leads', async () => {
    await using other = await startServer(json({ tables: [] }))
    await using server = await startServer((response) =>
      response.writeHead(302, { location: other.url }).end(),
    )
    const error = await errorOf(createDoc(server.url, { attempts: 1 }).tables())
    expect([error.reason, other.seen]).toEqual(['CONNECTION_FAILED', []])
    expect(error.message).toBe(`no response from ${server.url}: unexpected redirect`)
  })
})

describe('credentials that are renewed', () => {
  const refuseUnless = (token: string): Reply => {
    return (response, request) =>
      request.headers['x-token'] === token
        ? json({ tables: [] })(response, request)
        : refuse(403, 'ACCESS_DENIED')(response, request)
  }
  const createWithToken = (url: string, renew: () => Promise<string>) => {
    let token = 'old'
    return new Sheaf({
      url,
      retry: quick,
      headers: () => ({ 'x-token': token }),
      renew: async () => {
        token = await renew()
      },
    }).doc('d')
  }

  it('are sent with a call that was refused without them', async () => {
    await using server = await startServer(refuseUnless('new'))
    const doc = createWithToken(server.url, async () => 'new')
    const [one, two] = await Promise.all([doc.tables(), doc.tables()])
    expect([one, two]).toEqual([[], []])
    const sent = server.seen.map(({ headers }) => headers['x-token'])
    expect(sent).toEqual(['old', 'old', 'new', 'new'])
  })

  it('are those of each attempt', async () => {
    let attempt = 0
    await using server = await startServer(cut(), json({ tables: [] }))
    const headers = () => ({ 'x-token': String(attempt++) })
    await new Sheaf({ url: server.url, retry: quick, headers }).doc('d').tables()
    const [first, second] = server.seen.map(({ headers }) => Number(headers['x-token']))
    expect(second).toBeGreaterThan(Number(first))
  })

  it.each<[string, () => Promise<string>, number]>([
    ['once if they are refused as well', async () => 'other', 2],
    ['not again if they are the same', async () => 'old', 1],
    ['not again if they cannot be renewed', () => Promise.reject(new Error('down')), 1],
  ])('are tried %s', async (_, renew, attempts) => {
    await using server = await startServer(refuseUnless('new'))
    const error = await errorOf(createWithToken(server.url, renew).tables())
    expect(error).toBeInstanceOf(PermissionError)
    expect(server.seen).toHaveLength(attempts)
  })
})

describe('credentials whose renewal hangs', () => {
  const createHanging = (url: string, retry = {}) => {
    let renewals = 0
    const renew = () => {
      renewals++
      return new Promise<void>(() => {})
    }
    const headers = () => ({ 'x-token': 'old' })
    const sheaf = new Sheaf({ url, retry: { ...quick, ...retry }, headers, renew })
    return { doc: sheaf.doc('d'), renewals: () => renewals }
  }

  it.each([{ attemptMs: 1_000 }, { totalMs: 1_000 }])(
    'are waited for no longer than %j',
    async (limit) => {
      await using server = await startServer(refuse(403, 'ACCESS_DENIED'))
      const { doc, renewals } = createHanging(server.url, limit)
      expect(await errorOf(doc.tables())).toBeInstanceOf(PermissionError)
      expect([renewals(), server.seen.length]).toEqual([1, 1])
    },
  )

  it('are not waited for any longer when the signal is aborted', async () => {
    await using server = await startServer(refuse(403, 'ACCESS_DENIED'))
    const { doc, renewals } = createHanging(server.url)
    const controller = new AbortController()
    const ended = doc.tables({ signal: controller.signal }).catch((error: unknown) => error)
    while (renewals() === 0) await new Promise(setImmediate)
    controller.abort(new Error('enough'))
    expect(await ended).toEqual(new Error('enough'))
  })
})

describe('the URL', () => {
  it.each(['', 'sheaf.example.com', 'ftp://sheaf.example.com', 'https://me:pw@sheaf.example.com'])(
    '%j is refused',
    (url) => {
      expect(() => new Sheaf({ url })).toThrow(TypeError)
    },
  )

  it('may have a path', async () => {
    await using server = await startServer(json([]))
    await new Sheaf({ url: `${server.url}/o/team/` }).workspaces.list()
    expect(server.seen[0]?.url).toBe('/o/team/api/orgs/current/workspaces')
  })
})
