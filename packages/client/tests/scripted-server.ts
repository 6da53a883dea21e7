import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A request that the server has received. */
export interface SeenRequest {
  readonly method: string
  readonly url: string
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

/** Answers one request. */
export type Reply = (response: ServerResponse, request: SeenRequest) => void

/** A server that gives each request its own reply, in order, and repeats the last one. */
export interface ScriptedServer extends AsyncDisposable {
  readonly url: string
  readonly seen: readonly SeenRequest[]
}

/** Starts a server with these replies. */
export async function startServer(...replies: readonly Reply[]): Promise<ScriptedServer> {
  const seen: SeenRequest[] = []
  const server = createServer((request, response) => {
    const reply = replies[Math.min(seen.length, replies.length - 1)]
    const { method = '', url = '', headers } = request
    const chunks: Buffer[] = []
    const index = seen.push({ method, url, headers, body: '' }) - 1
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const whole = { method, url, headers, body: Buffer.concat(chunks).toString() }
      seen[index] = whole
      reply?.(response, whole)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    seen,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

/** Answers with JSON. */
export const json =
  (body: unknown, headers: Record<string, string> = {}): Reply =>
  (response) =>
    response
      .writeHead(200, { 'content-type': 'application/json', ...headers })
      .end(JSON.stringify(body))

/** Answers with an error of the API. */
export const refuse =
  (status: number, reason: string, more: { details?: object; headers?: object } = {}): Reply =>
  (response) =>
    response
      .writeHead(status, { 'x-request-id': 'r-1', ...more.headers })
      .end(JSON.stringify({ error: `refused: ${reason}`, details: { reason, ...more.details } }))

/** Breaks the connection, after some of a response if any. */
export const cut =
  (begun?: string): Reply =>
  (response) => {
    if (begun === undefined) return void response.destroy()
    response.writeHead(200, { 'content-type': 'application/json' })
    response.write(begun, () => response.destroy())
  }

/** Never answers. */
export const hang: Reply = () => {}

/** Sends server-sent events, and keeps the connection. */
export const events =
  (...texts: readonly string[]): Reply =>
  (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    for (const text of texts) response.write(text)
  }

/** Adds the ETag of a document to a reply. */
export const withTag =
  (etag: string, reply: Reply): Reply =>
  (response, request) => {
    response.setHeader('etag', etag)
    reply(response, request)
  }

/** Sends server-sent events, and ends or breaks the connection. */
export const someEvents =
  (how: 'end' | 'destroy', ...texts: readonly string[]): Reply =>
  (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(texts.join(''), () => response[how]())
  }
