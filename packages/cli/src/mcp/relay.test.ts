import { createServer, type IncomingHttpHeaders, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { relayMessages } from './relay'

interface Seen {
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

let server: Server
let url: string
let seen: Seen[]
let respond: (body: string) => { status: number; text: string }

beforeEach(async () => {
  seen = []
  server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString()
      seen.push({ headers: request.headers, body })
      const { status, text } = respond(body)
      response.writeHead(status).end(text)
    })
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterEach(async () => {
  server.closeAllConnections()
  await new Promise((done) => server.close(done))
})

async function relay(...lines: string[]): Promise<unknown[]> {
  async function* input() {
    for (const line of lines) yield await Promise.resolve(line)
  }
  const out: unknown[] = []
  await relayMessages(input(), (line) => out.push(JSON.parse(line)), { url, key: 'agent' })
  return out
}

it('passes on requests with the key, and their answers as one line each', async () => {
  respond = (body) => {
    const { id } = JSON.parse(body) as { id: number }
    return { status: 200, text: `{"jsonrpc":"2.0",\n"id":${id},"result":{}}` }
  }
  const many = Array.from({ length: 30 }, (_, id) =>
    JSON.stringify({ jsonrpc: '2.0', id, method: 'ping' }),
  )
  const answers = await relay(...many)
  expect(new Set(answers.map((answer) => (answer as { id: number }).id)).size).toBe(30)
  expect(seen[0]?.headers).toMatchObject({ authorization: 'Bearer agent' })
  expect(seen[0]?.headers).not.toHaveProperty('mcp-method')
})

it('repeats in headers what a message of version 2026-07-28 is about', async () => {
  respond = () => ({ status: 200, text: '{"jsonrpc":"2.0","id":1,"result":{}}' })
  const _meta = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' }
  const params = { _meta, name: 'query' }
  await relay(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }))
  expect(seen[0]?.headers).toMatchObject({
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': 'tools/call',
    'mcp-name': 'query',
  })
})

it('answers notifications with nothing', async () => {
  respond = () => ({ status: 202, text: '' })
  expect(await relay('{"jsonrpc":"2.0","method":"notifications/initialized"}', '')).toEqual([])
  expect(seen).toHaveLength(1)
})

it('answers refusals, foreign responses and broken connections as errors', async () => {
  const request = '{"jsonrpc":"2.0","id":"a","method":"tools/list"}'
  respond = () => ({ status: 401, text: '{"error":"wrong key","details":{"reason":"X"}}' })
  expect(await relay(request)).toEqual([
    {
      jsonrpc: '2.0',
      id: 'a',
      error: { code: -32603, message: 'wrong key', data: { reason: 'X' } },
    },
  ])
  respond = () => ({ status: 200, text: '<html>' })
  expect(await relay(request)).toMatchObject([{ id: 'a', error: { code: -32603 } }])
  url = 'http://127.0.0.1:1'
  expect(await relay(request, 'no JSON', '[]')).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ id: 'a' }),
      expect.objectContaining({ id: null }),
    ]),
  )
})
