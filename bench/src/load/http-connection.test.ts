import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import fc from 'fast-check'
import { encodeRequest, HttpConnection, ReplyParser } from './http-connection'
import { runLoad } from './load'

const withLength = 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello'
const inChunks =
  'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nhel\r\n2\r\nlo\r\n0\r\n\r\n'
const empty = 'HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n'

test('a reply is the same however it is cut into pieces, and the next one follows it', () => {
  const text = Buffer.from(withLength + inChunks + empty)
  fc.assert(
    fc.property(fc.array(fc.nat({ max: text.length })), (cuts) => {
      const parser = new ReplyParser()
      const found: unknown[] = []
      // A client sends its next request after the end of a response, so no chunk contains two responses.
      const ends = [withLength.length, withLength.length + inChunks.length, text.length]
      let from = 0
      for (const to of [...cuts, ...ends].sort((a, b) => a - b)) {
        if (to === from) continue
        const reply = parser.push(text.subarray(from, to))
        if (reply) found.push([reply.status, reply.bytes, reply.text])
        from = to
      }
      expect(found).toEqual([
        [200, 5, 'hello'],
        [200, 5, 'hello'],
        [404, 0, ''],
      ])
    }),
  )
})

test('what is not a reply of this kind is refused', () => {
  expect(() => new ReplyParser().push(Buffer.from('HTTP/1.0 200 OK\r\n\r\n'))).toThrow('cannot be')
})

/** A server that responds with the request body. */
async function startEcho(status: number) {
  const server = createServer((request, response) => {
    response.writeHead(status, { 'x-path': request.url })
    request.pipe(response)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

test('a connection carries requests with and without bodies to a real server', async () => {
  await using server = await startEcho(200)
  const connection = await HttpConnection.open(server.port)
  const send = (body?: string) =>
    connection.send(
      encodeRequest('localhost', { method: 'POST', path: '/', headers: { a: 'b' }, body }),
    )
  expect(await send('{"a":"ä"}')).toEqual({ status: 200, bytes: 10, text: '{"a":"ä"}' })
  expect(await send()).toEqual({ status: 200, bytes: 0, text: '' })
  connection.close()
})

const load = {
  clients: 2,
  calls: 7,
  requests: [{ method: 'POST', path: '/', headers: {}, body: '1' }],
}

test('a load makes as many calls as it is asked to, and keeps their texts', async () => {
  await using server = await startEcho(200)
  const result = await runLoad({ ...load, port: server.port, keepTexts: true })
  expect(result).toMatchObject({ calls: 7, bytes: 7, texts: Array(7).fill('1') })
  expect(result.latencies).toHaveLength(7)
})

test('a load ends with the text of the first reply that is not a 200', async () => {
  await using server = await startEcho(503)
  await expect(runLoad({ ...load, port: server.port })).rejects.toThrow('answered 503: 1')
})
