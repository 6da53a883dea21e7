import { randomUUID } from 'node:crypto'
import type { Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Logger } from '@sheaf/kit/logger'
import { countRequest } from '../metrics'

interface ErrorResponse {
  readonly status: string
  readonly error: string
  readonly reason: string
}

const malformed: ErrorResponse = {
  status: '400 Bad Request',
  error: 'malformed HTTP request',
  reason: 'MALFORMED_REQUEST',
}

const refusals: Readonly<Record<string, ErrorResponse>> = {
  HPE_HEADER_OVERFLOW: {
    status: '431 Request Header Fields Too Large',
    error: 'URL and headers are too long',
    reason: 'HEADERS_TOO_LARGE',
  },
  ERR_HTTP_REQUEST_TIMEOUT: {
    status: '408 Request Timeout',
    error: 'timed out while receiving the request',
    reason: 'REQUEST_TIMEOUT',
  },
}

/**
 * Responds to requests that are malformed HTTP or do not arrive in time with JSON, like every other error,
 * and closes the connection.
 */
export function answerClientErrors(server: Server, log: Logger): void {
  const answers = new WeakMap<object, ServerResponse>()
  const remember = (request: { socket: Socket }, response: ServerResponse) =>
    answers.set(request.socket, response)
  server.on('request', remember).on('checkContinue', remember)
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    const answer = answers.get(socket)
    const isAnswering = answer?.headersSent === true && !answer.writableFinished
    if (error.code === 'ECONNRESET' || !socket.writable || isAnswering) return socket.destroy()
    const { status, ...body } = refusals[error.code ?? ''] ?? malformed
    const json = JSON.stringify({ error: body.error, details: { reason: body.reason } })
    const requestId = randomUUID()
    const facts = { method: undefined, route: 'none', status: Number.parseInt(status), ms: 0 }
    countRequest(facts)
    const { route, ms } = facts
    log.info({ requestId, route, status: facts.status, ms, reason: body.reason }, 'request')
    const head = [
      `HTTP/1.1 ${status}`,
      'Content-Type: application/json; charset=utf-8',
      `Content-Length: ${Buffer.byteLength(json)}`,
      `X-Request-Id: ${requestId}`,
      'Server-Timing: total;dur=0',
      'Connection: close',
    ]
    socket.end(`${head.join('\r\n')}\r\n\r\n${json}`)
  })
}
