import { AppError } from '@sheaf/kit/errors'
import type { ServerCall } from '@sheaf/auth/server-call'
import type {
  ReadRecordsRequest,
  ReadRecordsResponse,
} from '@sheaf/protos/sheaf/document_data/v1/records'
import { ResultFormat } from '@sheaf/protos/sheaf/document_data/v1/sql'
import { Closer } from '@sheaf/kit/lifecycle'
import { eventually } from '@sheaf/testkit/eventually'
import { createRest } from '@sheaf/testkit/rest'
import { defaultLimits } from '../src/config'
import { RawConnection } from './support/raw-http'
import { startStubbedGateway, DOC, type StubbedGateway } from './support/stub-services'

const KIB = 1024
const MIB = 1024 * KIB
const path = `/api/docs/${DOC}/tables/T/records`

type Read = (request: ReadRecordsRequest, call: ServerCall) => AsyncGenerator<ReadRecordsResponse>

/** What document-data does now; each test sets its own. */
let read: Read
const requests: ReadRecordsRequest[] = []

let system: StubbedGateway
beforeAll(async () => {
  const readRecords = (request: ReadRecordsRequest, call?: unknown) => {
    requests.push(request)
    return read(request, call as ServerCall)
  }
  system = await startStubbedGateway({
    records: { readRecords },
    config: { timeouts: { unreadMs: 5_000 } },
  })
})
beforeEach(() => requests.splice(0))
afterAll(() => system[Symbol.asyncDispose]())

const rest = (key = 'carol-key') => createRest(system.url, key)
const chunkOf = (text: string | Buffer) => ({ chunk: Buffer.from(text), seq: 1 })

async function* chunks(...texts: (string | Buffer | Error)[]): AsyncGenerator<ReadRecordsResponse> {
  for (const text of texts) {
    if (text instanceof Error) throw text
    yield chunkOf(text)
  }
}

const get = ['GET', 'HEAD'].map((method) => [
  `${method} ${path} HTTP/1.1`,
  'Host: sheaf',
  'Authorization: Bearer carol-key',
  '',
  '',
])
const [getLines = [], headLines = []] = get

describe('the query', () => {
  beforeEach(() => {
    read = () => chunks('{"records":[]}')
  })

  it('goes to document-data, decoded', async () => {
    const query = { filter: { A: ['é+&', null] }, sort: 'A,-B', limit: 10, hidden: 'on' }
    expect((await rest().get(path, { query })).status).toBe(200)
    const [{ filterJson = Buffer.alloc(0), ...request } = {}] = requests
    expect(request).toEqual({
      docId: DOC,
      tableId: 'T',
      sort: ['A', '-B'],
      limit: 10,
      hidden: true,
      cellFormat: 0,
      form: 0,
      format: ResultFormat.JSON,
    })
    expect(JSON.parse(Buffer.from(filterJson).toString())).toEqual(query.filter)
  })

  it('wins over the headers, which act when it is silent', async () => {
    const headers = { 'x-sort': 'C', 'x-limit': '5' }
    await rest().get(path, { headers })
    await rest().get(`${path}?sort=D&limit=0`, { headers })
    expect(requests).toMatchObject([
      { sort: ['C'], limit: 5 },
      { sort: ['D'], limit: 0 },
    ])
  })

  it('takes nothing for no limit, no sort, no filter', async () => {
    await rest().get(`${path}?limit=&sort=&filter=&hidden=0`)
    expect(requests[0]).toMatchObject({ limit: 0, sort: [], hidden: false })
    expect(requests[0]?.filterJson).toHaveLength(0)
  })

  it.each(['limit=abc', 'limit=-1', 'limit=2.5', 'limit=1&limit=2', 'sort=A&sort=B'])(
    'is refused when it cannot be understood: %s',
    async (query) => {
      const reply = await rest().get(`${path}?${query}`)
      expect(reply.status).toBe(400)
      expect(reply.body).toMatchObject({ error: expect.stringMatching(/^(limit|sort) parameter /) })
      expect(requests).toEqual([])
    },
  )

  it('may come in a body', async () => {
    const body = { filter: { A: [1] }, sort: ['-A'], limit: 3, hidden: true }
    expect((await rest().post(`${path}/list`, { body })).status).toBe(200)
    expect(requests[0]).toMatchObject({ sort: ['-A'], limit: 3, hidden: true })
    const wrong = await rest().post(`${path}/list`, { body: { filter: { A: 1 }, limit: 'x' } })
    expect(wrong).toMatchObject({
      status: 400,
      body: {
        details: {
          userError:
            'Error: body.filter must have an array or an object of operators for each column\n    body.limit is not a number',
        },
      },
    })
  })
})

describe('an answer', () => {
  it('that is small has a length', async () => {
    read = () => chunks('{"records":[]}')
    const reply = await rest().get(path)
    expect(reply.body).toEqual({ records: [] })
    expect(reply.headers.get('content-length')).toBe('14')
    expect(reply.headers.get('content-type')).toBe('application/json; charset=utf-8')
  })

  it('of many chunks is their bytes in order', async () => {
    const numbers = Array.from({ length: 2_000 }, (_, index) => `${index},${' '.repeat(500)}`)
    read = () => chunks('{"records":[', ...numbers, '0]}')
    const reply = await rest().get<{ records: number[] }>(path)
    expect(reply.body.records).toHaveLength(2_001)
    expect(reply.body.records[1_999]).toBe(1_999)
    expect(reply.headers.has('content-length')).toBe(false)
  })

  it('to HEAD has the headers alone, and reads no further', async () => {
    let ended = false
    read = async function* () {
      try {
        for (;;) yield chunkOf(Buffer.alloc(64 * KIB, ' '))
      } finally {
        ended = true
      }
    }
    await using connection = await RawConnection.open(system.url)
    connection.send(headLines)
    await eventually(() => ended)
    expect(connection.received).toMatch(/^HTTP\/1.1 200 OK\r\n[^]*\r\n\r\n$/)
  })
})

describe('an error', () => {
  const gone = new AppError('not_found', 'TABLE_NOT_FOUND', 'Table not found "T"')

  it('before the first byte has its status', async () => {
    for (const texts of [[gone], ['{"records":[', gone]]) {
      read = () => chunks(...texts)
      const reply = await rest().get(path)
      expect(reply).toMatchObject({ status: 404, body: { error: 'Table not found "T"' } })
    }
  })

  it('after the first byte destroys the connection, so that nobody takes half for the whole', async () => {
    await using connection = await RawConnection.open(system.url)
    read = async function* () {
      yield* chunks('{"records":[', '1,')
      await eventually(() => connection.received !== '')
      throw new AppError('unavailable', 'X', 'broke')
    }
    connection.send(getLines)
    await eventually(() => connection.isClosed)
    expect(connection.received).toMatch(/^HTTP\/1.1 200 OK/)
    expect(connection.received).toContain('{"records":[')
    // The last chunk of a chunked answer, which must not be there.
    expect(connection.received).not.toMatch(/\r\n0\r\n\r\n$/)
    await expect(rest().get(path)).rejects.toThrow()
  })

  it.each(['1.0', '1.1'])(
    'after the first byte resets the connection of a client of HTTP/%s, for which an orderly end would be that of the body',
    async (version) => {
      await using connection = await RawConnection.open(system.url)
      read = async function* () {
        yield* chunks('{"records":[', '1,')
        await eventually(() => connection.received !== '')
        throw new AppError('unavailable', 'X', 'broke')
      }
      connection.send(getLines.map((line) => line.replace(/1\.1$/, version)))
      await eventually(() => connection.isClosed)
      expect(connection.received).toContain('{"records":[')
      expect(connection.isReset).toBe(true)
    },
  )
})

describe('answers in one piece that are not read', () => {
  it('take the share of their user only, who gets no further ones until they are read', async () => {
    read = () => chunks(JSON.stringify(' '.repeat(8 * MIB)))
    const readRecords = (request: ReadRecordsRequest, call?: unknown) =>
      read(request, call as ServerCall)
    await using patient = await startStubbedGateway({ records: { readRecords } })
    const readAs = async (key: string) => (await createRest(patient.url, key).get(path)).status
    await using opened = new Closer()
    // 64 MiB are the share. An answer is longer than the buffers of a connection in the kernel.
    for (let count = 0; count < 20; count++) {
      const connection = opened.use(await RawConnection.open(patient.url))
      connection.socket.pause()
      connection.send(getLines)
    }
    await eventually(async () => (await readAs('carol-key')) === 429)
    const refused = await createRest(patient.url, 'carol-key').get(path)
    expect(refused.body).toMatchObject({ details: { reason: 'USER_BUSY' } })
    expect(await readAs('bob-key')).toBe(200)
    await opened.close()
    await eventually(async () => (await readAs('carol-key')) === 200)
  })
})

describe('a table that is larger than memory', () => {
  const CHUNK = Buffer.alloc(256 * KIB, ' ')
  const TOTAL = 1_200
  let produced = 0
  let ended = false
  let cancelled = false

  beforeEach(() => {
    produced = 0
    ended = cancelled = false
    read = async function* (_, { signal }) {
      signal.addEventListener('abort', () => (cancelled = true))
      try {
        while (produced < TOTAL) {
          produced++
          yield chunkOf(CHUNK)
        }
      } finally {
        ended = true
      }
    }
  })

  it('is read no faster than the client takes it, and given up when it takes nothing', async () => {
    await using connection = await RawConnection.open(system.url)
    connection.socket.pause()
    connection.send(getLines)
    await eventually(() => ended)
    // 300 MiB were to be had; buffers on the way hold some.
    expect(produced * CHUNK.length).toBeLessThan(64 * MIB)
    expect(cancelled).toBe(true)
  })

  it('is not read on when the client has gone', async () => {
    const connection = await RawConnection.open(system.url)
    connection.send(getLines)
    await eventually(() => connection.received.length > MIB)
    await connection[Symbol.asyncDispose]()
    await eventually(() => ended && cancelled)
    expect(produced).toBeLessThan(TOTAL)
  })

  it('passes through in little memory', async () => {
    const before = process.memoryUsage().rss
    let most = 0
    let received = 0
    const response = await fetch(system.url + path, {
      headers: { authorization: 'Bearer carol-key' },
    })
    for await (const bytes of response.body ?? []) {
      received += (bytes as Uint8Array).length
      most = Math.max(most, process.memoryUsage().rss)
    }
    expect(received).toBe(TOTAL * CHUNK.length)
    // Client, gateway and stub are one process here, so garbage of all three counts.
    expect(most - before).toBeLessThan(200 * MIB)
  })

  it('ends when its time is up', async () => {
    const records = {
      readRecords: (request: ReadRecordsRequest, call?: unknown) =>
        read(request, call as ServerCall),
    }
    await using hasty = await startStubbedGateway({
      records,
      // Longer than a busy machine takes to begin the answer.
      config: { timeouts: { streamMs: 3_000 } },
    })
    await using connection = await RawConnection.open(hasty.url)
    connection.socket.pause()
    connection.send(getLines)
    await eventually(() => ended && cancelled)
  })
})

describe('an answer in one piece that nobody reads', () => {
  it('ends, although its handler has', async () => {
    const PIECE = Buffer.alloc(32 * MIB, ' ')
    let isAsked = false
    const readRecords = () => {
      isAsked = true
      return chunks(PIECE)
    }
    await using strict = await startStubbedGateway({
      records: { readRecords },
      config: { timeouts: { unreadMs: 3_000 }, limits: { ...defaultLimits, requests: 1 } },
    })
    await using connection = await RawConnection.open(strict.url)
    connection.socket.pause()
    connection.send(getLines)
    await eventually(() => isAsked)
    const other = createRest(strict.url)
    const statusOf = async () => (await other.get('/api/docs-ui')).status
    // The unread answer takes the only slot for requests.
    await eventually(async () => (await statusOf()) === 503)
    await eventually(async () => (await statusOf()) === 200)
    connection.socket.resume()
    await eventually(() => connection.isClosed)
    expect(connection.received.length).toBeLessThan(PIECE.length)
  })
})

describe('stopping', () => {
  it('lets a running answer finish, and closes its connection', async () => {
    let release = () => {}
    const held = new Promise<void>((resolve) => (release = resolve))
    const readRecords = async function* (): AsyncGenerator<ReadRecordsResponse> {
      yield* chunks('{"records":[', '1')
      await held
      yield chunkOf(']}')
    }
    const stopping = await startStubbedGateway({
      records: { readRecords },
      config: { timeouts: { drainMs: 5_000 } },
    })
    await using connection = await RawConnection.open(stopping.url)
    connection.send(getLines)
    await eventually(() => connection.received.includes('{"records":['))
    const stopped = stopping.gateway[Symbol.asyncDispose]()
    release()
    await stopped
    await eventually(() => connection.isClosed)
    expect(connection.received).toMatch(/\]\}\r\n0\r\n\r\n$/)
    await stopping[Symbol.asyncDispose]()
  })

  it('answers requests over kept connections, and new ones, before it stops, and tells them to go', async () => {
    const stopping = await startStubbedGateway({
      records: { readRecords: () => chunks('{"records":[]}') },
      config: { timeouts: { leaveMs: 3_000 } },
    })
    await using kept = await RawConnection.open(stopping.url)
    kept.send(getLines)
    await eventually(() => kept.received.includes('{"records":[]}'))
    expect(kept.received).not.toMatch(/^connection: close/im)
    const stopped = stopping.gateway[Symbol.asyncDispose]()
    kept.received = ''
    kept.send(getLines)
    await eventually(() => kept.isClosed)
    expect(kept.received).toMatch(
      /^HTTP\/1.1 200 [^]*^connection: close\r$[^]*\{"records":\[\]\}/im,
    )
    const { status, headers, body } = await createRest(stopping.url).get('/status?ready=1')
    expect({ status, body }).toMatchObject({
      status: 503,
      body: { details: { missing: 'gateway' } },
    })
    expect(headers.get('retry-after')).toBe('2')
    expect((await createRest(stopping.url).get('/status')).status).toBe(200)
    await stopped
    await expect(createRest(stopping.url).get('/status')).rejects.toThrow()
    await stopping[Symbol.asyncDispose]()
  })
})
