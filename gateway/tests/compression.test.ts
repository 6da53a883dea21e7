import { request, type IncomingHttpHeaders } from 'node:http'
import { gunzipSync } from 'node:zlib'
import type { ReadRecordsResponse } from '@sheaf/protos/sheaf/document_data/v1/records'
import { Webhook } from '@sheaf/protos/sheaf/webhook/v1/webhooks'
import { eventually } from '@sheaf/testkit/eventually'
import { RawConnection } from './support/raw-http'
import { startStubbedGateway, DOC, type StubbedGateway } from './support/stub-services'

const KIB = 1024
const path = `/api/docs/${DOC}/tables/T/records`
const line = '{"id":1,"fields":{"City":"Zürich","Country":"Switzerland"}},'
const long = line.repeat(2_000)

let read: () => AsyncGenerator<ReadRecordsResponse>
let webhooks: readonly Webhook[] = []
let system: StubbedGateway
beforeAll(async () => {
  system = await startStubbedGateway({
    records: { readRecords: () => read() },
    webhooks: { listWebhooks: async () => ({ webhooks: [...webhooks] }) },
    config: { timeouts: { unreadMs: 5_000 } },
  })
})
afterAll(() => system[Symbol.asyncDispose]())

async function* chunks(...texts: string[]): AsyncGenerator<ReadRecordsResponse> {
  for (const text of texts) yield { chunk: Buffer.from(text), seq: 1 }
}

/** Responses that have begun to arrive. */
let heads = 0

/** Sends a request without fetch, which decompresses in silence. */
function get(
  url: string,
  headers: Record<string, string> = {},
): Promise<{ headers: IncomingHttpHeaders; bytes: Buffer }> {
  return new Promise((resolve, reject) => {
    const authorization = 'Bearer carol-key'
    const options = { agent: false, headers: { authorization, ...headers } }
    const sent = request(system.url + url, options, (reply) => {
      heads++
      const parts: Buffer[] = []
      reply.on('data', (part: Buffer) => parts.push(part)).once('error', reject)
      reply.once('end', () => resolve({ headers: reply.headers, bytes: Buffer.concat(parts) }))
    })
    sent.once('error', reject).end()
  })
}

const gzip = { 'accept-encoding': 'gzip, deflate' }

describe('a response of more than 64 KiB', () => {
  it.each([
    ['one chunk', [long]],
    ['many chunks', Array.from({ length: 20 }, () => long)],
  ])('in %s is compressed for a client that accepts gzip', async (_, texts) => {
    read = () => chunks(...texts)
    const { headers, bytes } = await get(path, gzip)
    expect(headers).toMatchObject({ 'content-encoding': 'gzip' })
    expect(headers['content-length']).toBeUndefined()
    expect(headers.vary).toContain('Accept-Encoding')
    const expected = texts.join('')
    expect(bytes.length).toBeLessThan(Buffer.byteLength(expected) / 5)
    expect(gunzipSync(bytes).toString()).toBe(expected)
  })

  it.each([
    ['names no encoding', {}],
    ['refuses gzip', { 'accept-encoding': 'gzip;q=0, deflate' }],
  ])('is sent as it is to a client that %s, and caches are told', async (_, headers) => {
    read = () => chunks(long, long)
    const { headers: received, bytes } = await get(path, headers)
    expect(received['content-encoding']).toBeUndefined()
    expect(received.vary).toContain('Accept-Encoding')
    expect(bytes.toString()).toBe(long + long)
  })

  it('is a page or the description of the API, too', async () => {
    const { headers, bytes } = await get('/api/openapi.json', gzip)
    expect(headers['content-encoding']).toBe('gzip')
    expect(JSON.parse(gunzipSync(bytes).toString())).toHaveProperty('openapi')
  })
})

describe('a response of 4 to 64 KiB', () => {
  const page = line.repeat(200)
  it('is compressed, and states its length', async () => {
    read = () => chunks(page)
    const { headers, bytes } = await get(path, gzip)
    expect(headers).toMatchObject({
      'content-encoding': 'gzip',
      'content-length': String(bytes.length),
      vary: expect.stringContaining('Accept-Encoding') as string,
    })
    expect(gunzipSync(bytes).toString()).toBe(page)
  })

  it('has the same weak ETag in each form, so that a copy of either is validated', async () => {
    read = async function* () {
      yield { chunk: Buffer.from(page), seq: 1, etag: 'e.7' }
    }
    const plain = await get(path)
    const packed = await get(path, gzip)
    expect(packed.headers['content-encoding']).toBe('gzip')
    expect([plain.headers.etag, packed.headers.etag]).toEqual(['W/"e.7"', 'W/"e.7"'])
  })

  it('is sent as it is when it must not be stored, since it contains secrets', async () => {
    const name = 'n'.repeat(200)
    webhooks = Array.from({ length: 50 }, (_, at) =>
      Webhook.create({ id: `hook-${at}`, fields: { name } }),
    )
    const { headers, bytes } = await get(`/api/docs/${DOC}/webhooks`, {
      ...gzip,
      authorization: 'Bearer alice-key',
    })
    expect(headers).toMatchObject({
      'cache-control': 'no-store',
      'content-length': String(bytes.length),
    })
    expect(headers['content-encoding']).toBeUndefined()
    expect(bytes.length).toBeGreaterThan(4 * KIB)
    expect(JSON.parse(bytes.toString())).toMatchObject({ webhooks: { length: 50 } })
  })
})

describe('a response', () => {
  it('of less is sent as it is', async () => {
    read = () => chunks(line)
    const { headers, bytes } = await get(path, gzip)
    expect([headers['content-encoding'], headers['content-length']]).toEqual([
      undefined,
      String(bytes.length),
    ])
  })

  it('that is being compressed ends when its client has disconnected or stalls', async () => {
    // Hardly compressible, so that much of it stays unread.
    const noise = () => Array.from({ length: 32 * KIB }, () => Math.random().toString(36)).join('')
    let ended = 0
    read = async function* () {
      try {
        for (let i = 0; i < 500; i++) yield* chunks(noise())
      } finally {
        ended++
      }
    }
    const lines = [
      `GET ${path} HTTP/1.1`,
      'Host: sheaf',
      'Authorization: Bearer carol-key',
      'Accept-Encoding: gzip',
      '',
      '',
    ]
    await using stalled = await RawConnection.open(system.url)
    stalled.socket.pause()
    stalled.send(lines)
    const leaving = await RawConnection.open(system.url)
    leaving.send(lines)
    await eventually(() => leaving.received.length > 256 * KIB)
    await leaving[Symbol.asyncDispose]()
    await eventually(() => ended === 2)
    expect(leaving.received).toMatch(/^content-encoding: gzip\r$/im)
  })
})

it('of many that are long, only the first are compressed: the others would wait for a processor', async () => {
  let release: () => void = () => {}
  const released = new Promise<void>((resolve) => (release = resolve))
  read = async function* () {
    yield* chunks(long, long)
    await released
  }
  heads = 0
  const replies: Promise<{ headers: IncomingHttpHeaders }>[] = []
  for (let i = 0; i < 40; i++) replies.push(get(path, gzip))
  await eventually(() => heads === 40)
  release()
  const encodings = (await Promise.all(replies)).map(({ headers }) => headers['content-encoding'])
  expect(encodings.filter(Boolean)).toHaveLength(32)
  read = () => chunks(long, long)
  expect((await get(path, gzip)).headers['content-encoding']).toBe('gzip')
})
