import { gzipSync } from 'node:zlib'
import type { AddRecordsRequest } from '@sheaf/protos/sheaf/document_data/v1/records'
import { eventually } from '@sheaf/testkit/eventually'
import { createRest } from '@sheaf/testkit/rest'
import { RawConnection } from './support/raw-http'
import { startStubbedGateway, DOC, type StubbedGateway } from './support/stub-services'

const MIB = 1024 * 1024
const path = `/api/docs/${DOC}/tables/T/records`
const requests: AddRecordsRequest[] = []

let system: StubbedGateway
beforeAll(async () => {
  const accept = async (request: AddRecordsRequest) => {
    requests.push(request)
    return { rowIds: [3, 4], seq: 1 }
  }
  system = await startStubbedGateway({
    records: { addRecords: accept, updateRecords: accept, deleteRecords: accept },
    documents: { updateDocument: async () => ({ docId: DOC }) },
  })
})
beforeEach(() => requests.splice(0))
afterAll(() => system[Symbol.asyncDispose]())

const rest = () => createRest(system.url, 'alice-key')
const json = { 'content-type': 'application/json' }
const sent = () => Buffer.from(requests[0]?.bodyJson ?? []).toString()

describe('a body of records', () => {
  it('goes to document-data byte by byte', async () => {
    const body = '{ "records" : [ {"fields":{"A":"é\\u0000"}}, 12345678901234567890 ]}'
    const reply = await rest().post(`${path}?noparse=Yes`, { body, headers: json })
    expect(reply.raw.toString()).toBe('{"records":[{"id":3},{"id":4}]}')
    expect(sent()).toBe(body)
    expect(requests[0]).toMatchObject({ docId: DOC, tableId: 'T', noParse: true })
  })

  it('that is changed or deleted answers null', async () => {
    expect((await rest().patch(path, { body: { records: [] } })).raw.toString()).toBe('null')
    expect((await rest().post(`${path}/delete`, { body: [1] })).raw.toString()).toBe('null')
    const old = `/api/docs/${DOC}/tables/T/data/delete`
    expect((await rest().post(old, { body: [1, 2] })).raw.toString()).toBe('null')
    expect(Buffer.from(requests[2]?.bodyJson ?? []).toString()).toBe('[1,2]')
  })

  it('counts as {} when it is empty', async () => {
    expect((await rest().post(path, { body: '', headers: json })).status).toBe(200)
    expect(sent()).toBe('{}')
  })

  it('is not passed on when it is of another type', async () => {
    const text = { body: '{"records":[{}]}', headers: { 'content-type': 'text/plain' } }
    expect((await rest().post(path, text)).status).toBe(400)
    expect((await rest().patch(`/api/docs/${DOC}`, { ...text, body: '{}' })).status).toBe(415)
    expect(requests).toEqual([])
  })

  it('may be compressed', async () => {
    const body = gzipSync('{"records":[]}')
    const headers = { ...json, 'content-encoding': 'gzip' }
    expect((await rest().post(path, { body, headers })).status).toBe(200)
    expect(sent()).toBe('{"records":[]}')
  })

  it.each([
    [
      { ...json, 'content-encoding': 'zstd' },
      /"zstd"; supported: br, deflate, gzip, identity$/,
      415,
    ],
    [
      { 'content-type': 'application/json; charset=latin1' },
      /^unsupported charset "latin1"; send UTF-8$/,
      415,
    ],
    [{ ...json, 'content-encoding': 'gzip' }, /^the body cannot be read$/, 400],
  ])('is refused in a form that cannot be read: %j', async (headers, error, status) => {
    const reply = await rest().post(path, { body: '{}', headers })
    expect(reply).toMatchObject({
      status,
      body: { error: expect.stringMatching(error) as string },
    })
  })
})

describe('a body of metadata', () => {
  it.each(['{"name": ', '"text"', '5', 'null', 'nope'])(
    'is refused when malformed: %s',
    async (body) => {
      const reply = await rest().patch(`/api/docs/${DOC}`, { body, headers: json })
      expect(reply).toMatchObject({ status: 400, body: { error: expect.stringMatching(/./) } })
    },
  )

  it('is refused when it is not UTF-8', async () => {
    const body = Buffer.from('{"name":"\xff"}', 'latin1')
    const reply = await rest().patch(`/api/docs/${DOC}`, { body, headers: json })
    expect(reply).toMatchObject({ status: 400, body: { error: 'the body must be valid UTF-8' } })
  })
})

describe('a body that is nested deeper than 100 levels', () => {
  const wide = `${'[[],'.repeat(60_000)}1${']'.repeat(60_000)}`
  const deep = `${'{"a":'.repeat(100_000)}{"__proto__":1}${'}'.repeat(100_000)}`
  const agents = { accept: 'application/json, text/event-stream' }

  it.each([
    ['a route', 'patch', `/api/docs/${DOC}`, {}],
    ['a strict request', 'patch', `/api/docs/${DOC}`, { prefer: 'handling=strict' }],
    ['agents', 'post', '/mcp', agents],
  ] as const)('is refused before anything reads it: %s', async (_who, method, at, headers) => {
    for (const value of [wide, deep, '['.repeat(101) + ']'.repeat(101)]) {
      const body = `{"name":${value}}`
      const reply = await rest()[method](at, { body, headers: { ...json, ...headers } })
      expect(reply).toMatchObject({
        status: 400,
        body: {
          error: 'the body must not be nested deeper than 100 levels',
          details: { reason: 'MALFORMED_JSON' },
        },
      })
    }
  })

  it('is named at its end when it has a property that nothing keeps', async () => {
    const body = `{"name":${'{"a":'.repeat(98)}{"__proto__":1}${'}'.repeat(98)}}`
    const reply = await rest().patch(`/api/docs/${DOC}`, { body, headers: json })
    expect(reply).toMatchObject({
      status: 400,
      body: {
        error: 'unrecognized property body.name.a.a.a.a.a….a.a.a.a.a.__proto__',
        details: { reason: 'UNKNOWN_PROPERTY' },
      },
    })
  })
})

describe('a body beyond the limit', () => {
  const tooLarge = {
    status: 413,
    body: {
      error: 'request entity too large: the limit is 1 MiB (SHEAF_MAX_BODY_MB)',
      details: { limit: String(MIB), setting: 'SHEAF_MAX_BODY_MB' },
    },
  }

  it('is refused by its length, and the client gets to read that', async () => {
    const body = Buffer.alloc(8 * MIB, ' ')
    expect(await rest().post(path, { body, headers: json })).toMatchObject(tooLarge)
    expect(requests).toEqual([])
  })

  it('is refused when it states no length', async () => {
    const chunk = Buffer.alloc(64 * 1024, ' ')
    let left = 128
    const body = new ReadableStream({
      pull: (controller) => (left-- > 0 ? controller.enqueue(chunk) : controller.close()),
    })
    const response = await fetch(system.url + path, {
      method: 'POST',
      headers: { ...json, authorization: 'Bearer alice-key' },
      body,
      duplex: 'half',
    })
    expect({ status: response.status, body: await response.json() }).toMatchObject(tooLarge)
    expect(requests).toEqual([])
  })

  it('is refused when it is small only while compressed', async () => {
    const body = gzipSync(Buffer.alloc(8 * MIB, ' '))
    const headers = { ...json, 'content-encoding': 'gzip' }
    expect(await rest().post(path, { body, headers })).toMatchObject(tooLarge)
    expect(requests).toEqual([])
  })

  it('may be exactly at it', async () => {
    const body = Buffer.alloc(MIB, ' ')
    expect((await rest().post(path, { body, headers: json })).status).toBe(200)
  })
})

describe('a client that asks before it sends', () => {
  const head = (key: string, length: number) => [
    `POST ${path} HTTP/1.1`,
    'Host: sheaf',
    `Authorization: Bearer ${key}`,
    'Content-Type: application/json',
    `Content-Length: ${length}`,
    'Expect: 100-continue',
    '',
    '',
  ]

  it('is told to go on once it may write', async () => {
    await using connection = await RawConnection.open(system.url)
    connection.send(head('alice-key', 2))
    await eventually(() => connection.received.startsWith('HTTP/1.1 100 Continue'))
    connection.send(['{}'])
    await eventually(() => connection.received.includes('HTTP/1.1 200 OK'))
  })

  it.each([
    ['carol-key', 2, '403'],
    ['nobody-key', 2, '401'],
    ['alice-key', 2 * MIB, '413'],
  ])('is refused before: %s %d', async (key, length, status) => {
    await using connection = await RawConnection.open(system.url)
    connection.send(head(key, length))
    await eventually(() => connection.received.includes('"error"'))
    expect(connection.received).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
    expect(connection.received).not.toContain('100 Continue')
  })
})

describe('a body that breaks off', () => {
  it('writes nothing, and leaves the gateway as it was', async () => {
    const connection = await RawConnection.open(system.url)
    connection.send([
      // A site of its own, so that the decision is not cached and the question tells when the body is wanted.
      `POST /o/broken${path} HTTP/1.1`,
      'Host: sheaf',
      'Authorization: Bearer alice-key',
      'Content-Type: application/json',
      'Content-Length: 100',
      '',
      '{"records":',
    ])
    await eventually(() => system.access.questions.some(({ site }) => site === 'broken'))
    await connection[Symbol.asyncDispose]()
    expect((await rest().post(path, { body: {} })).status).toBe(200)
    expect(requests).toHaveLength(1)
  })

  it('is given up when it takes too long', async () => {
    await using slow = await startStubbedGateway({ config: { timeouts: { requestMs: 200 } } })
    await using connection = await RawConnection.open(slow.url)
    connection.send([
      `PATCH /api/docs/${DOC} HTTP/1.1`,
      'Host: sheaf',
      'Authorization: Bearer alice-key',
      'Content-Type: application/json',
      'Content-Length: 100',
      '',
      '{',
    ])
    await eventually(() => connection.received.includes('request timed out'))
    expect(connection.received).toMatch(/^HTTP\/1.1 504 /)
  })
})
