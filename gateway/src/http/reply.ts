import type { Writable } from 'node:stream'
import { codes, type AppError } from '@sheaf/kit/errors'
import { compressAtOnce, compressInto, isCompressible, isShort } from './compression'
import type { Exchange } from './exchange'

const JSON_TYPE = 'application/json; charset=utf-8'
/** An API response is never a page: opened in a browser, it can run nothing. */
const API_POLICY = "default-src 'none'; frame-ancestors 'none'"

/** For a year. Other subdomains are not Sheaf's to decide about. */
const STRICT_TRANSPORT = 'max-age=31536000'

/** A body up to this size is read to its end after an early response, and the connection is kept. */
const SMALL_BODY_BYTES = 64 * 1024
/** How long the rest of a larger body is discarded, so that the client gets to read the response. */
const LINGER_MS = 5_000

/** Retry-After in seconds for a 503 that specifies none. */
const RETRY_AFTER_SECONDS = 2

/** Status, format and length of a response. */
export interface ReplyHead {
  readonly status?: number
  /** JSON by default. */
  readonly mediaType?: string
  /** In bytes; chunked when absent. */
  readonly length?: number
  /** Headers of this response alone, names and values alternating. */
  readonly headers?: readonly string[]
  /** Content-Security-Policy, for pages. */
  readonly policy?: string
  /** Referrer-Policy, for pages. */
  readonly referrer?: string
  /** Cache-Control, where the route does not decide it. */
  readonly cache?: string
}

/** Sends status and headers. */
export function sendHead(exchange: Exchange, head: ReplyHead): void {
  const { headers, response, context } = exchange
  headers.push(
    'Content-Type',
    head.mediaType ?? JSON_TYPE,
    'Cache-Control',
    cacheOf(exchange, head),
    'X-Content-Type-Options',
    'nosniff',
    'X-Frame-Options',
    'DENY',
    'Referrer-Policy',
    head.referrer ?? 'no-referrer',
    'Content-Security-Policy',
    head.policy ?? API_POLICY,
    'Server-Timing',
    exchange.timing,
  )
  // Browsers ignore it where the connection is not secure.
  if (context.config.publicUrl?.startsWith('https:'))
    headers.push('Strict-Transport-Security', STRICT_TRANSPORT)
  if (head.headers) headers.push(...head.headers)
  if (head.length !== undefined) headers.push('Content-Length', String(head.length))
  if (context.isDraining() && !headers.includes('Connection')) headers.push('Connection', 'close')
  response.writeHead(head.status ?? 200, headers)
}

/** Cache-Control of a response. */
function cacheOf({ route }: Exchange, { cache }: ReplyHead): string {
  return cache ?? (route?.noStore ? 'no-store' : 'no-cache')
}

/** Sends bytes, as JSON unless the head says otherwise; compressed if they are many and the client accepts that. */
export function sendBytes(exchange: Exchange, bytes: Buffer, head: ReplyHead = {}): void {
  const body = exchange.comparison ? withComparison(bytes, exchange.comparison) : bytes
  if (isShort(body.length)) return sendWhole(exchange, shortBody(exchange, body, head), head)
  const sink = chooseCompression(exchange, head, body.length)
  if (!sink) return sendWhole(exchange, body, head)
  sendHead(exchange, head)
  sink.end(body)
}

function shortBody(exchange: Exchange, body: Buffer, head: ReplyHead): Buffer {
  const { mediaType = JSON_TYPE } = head
  const cache = cacheOf(exchange, head)
  const isLong = isCompressible({ ...head, mediaType, cache }, body.length)
  return isLong ? compressAtOnce(exchange, body) : body
}

function sendWhole(exchange: Exchange, body: Buffer, head: ReplyHead): void {
  sendHead(exchange, { ...head, length: body.length })
  exchange.response.end(body)
  exchange.countUnread()
}

/** The answer of a write that kept nothing, with what it would have changed. */
function withComparison(answer: Buffer, comparison: Buffer): Buffer {
  const head = Buffer.from('{"dryRun":true,"result":')
  return Buffer.concat([head, answer, Buffer.from(','), comparison, Buffer.from('}')])
}

/**
 * Sends the head of a response of unknown length, which is long; returns the stream that its body is to be written to,
 * which compresses it if the client accepts that.
 */
export function beginBody(exchange: Exchange, head: ReplyHead): Writable {
  const compressed = chooseCompression(exchange, head, Infinity)
  sendHead(exchange, head)
  return compressed ?? exchange.response
}

function chooseCompression(
  exchange: Exchange,
  head: ReplyHead,
  bytes: number,
): Writable | undefined {
  const { mediaType = JSON_TYPE, length } = head
  const cache = cacheOf(exchange, head)
  return isCompressible({ mediaType, length, cache }, bytes) ? compressInto(exchange) : undefined
}

/** Sends 200 with a value as JSON. */
export function sendJson(exchange: Exchange, value: unknown, head?: ReplyHead): void {
  sendBytes(exchange, Buffer.from(JSON.stringify(value)), head)
}

/** Sends 200 with a text; as HTML where clients expect that. */
export function sendText(exchange: Exchange, text: string, form: 'plain' | 'html' = 'plain'): void {
  sendBytes(exchange, Buffer.from(text), { mediaType: `text/${form}; charset=utf-8` })
}

const NULL = Buffer.from('null')

/** Sends 200 with the JSON literal `null`: the operation has no result. */
export function sendNull(exchange: Exchange): void {
  sendBytes(exchange, NULL)
}

/** The body of an error: its message, and its reason with further facts. */
export function errorBody(error: AppError): { error: string; details: object } {
  return { error: error.message, details: { reason: error.reason, ...factsOf(error) } }
}

/** The JSON of an error. */
export function errorJson(error: AppError): string {
  return JSON.stringify(errorBody(error))
}

/** Sends an error. */
export function sendError(exchange: Exchange, error: AppError): void {
  const { headers } = exchange
  const body = Buffer.from(errorJson(error))
  if (error.code === 'unauthenticated') headers.push('WWW-Authenticate', challengeOf(exchange))
  sendRefusal(exchange, error, body)
}

/** Clients of routes that take access tokens find the identity provider by it. */
function challengeOf({ route, context, request }: Exchange): string {
  const resource = route?.takesAccessTokens ? context.signIn.resource : undefined
  return (
    resource?.challenge(request.headers.authorization?.startsWith('Bearer ') ?? false) ?? 'Bearer'
  )
}

/** Sends an error in any format, such that a client that is still sending its body can read it. */
export function sendRefusal(
  exchange: Exchange,
  error: AppError,
  body: Buffer,
  form: ReplyHead = {},
): void {
  const { request, response, headers } = exchange
  const head = { ...form, status: codes[error.code].http, length: body.length }
  const retryAfter = retryAfterOf(error)
  if (retryAfter !== undefined) headers.push('Retry-After', String(retryAfter))
  if (request.complete || !isLongBody(exchange)) {
    sendHead(exchange, head)
    response.end(body)
    request.resume()
    return
  }
  headers.push('Connection', 'close')
  sendHead(exchange, head)
  response.write(body)
  // Closing a socket with unread bytes resets it, and the client may lose the response: continue to read for
  // a while.
  const finish = () => {
    clearTimeout(timer)
    response.end()
  }
  const timer = setTimeout(finish, LINGER_MS)
  request.once('end', finish).once('close', finish).resume()
}

/** Further facts of an error; lists are passed as JSON, in a metadata field whose name ends in `Json`. */
function factsOf({ metadata }: AppError): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(metadata).map(([name, text]) =>
      name.endsWith('Json') ? [name.slice(0, -'Json'.length), JSON.parse(text)] : [name, text],
    ),
  )
}

/** Whole seconds; undefined when a retry would not help, or the time is unknown. */
function retryAfterOf({ code, metadata }: AppError): number | undefined {
  if (code !== 'too_many' && code !== 'unavailable') return undefined
  const ms = Number(metadata.retryAfterMs)
  if (ms > 0) return Math.ceil(ms / 1000)
  return code === 'unavailable' ? RETRY_AFTER_SECONDS : undefined
}

function isLongBody({ request }: Exchange): boolean {
  const { 'content-length': length, 'transfer-encoding': encoding, expect } = request.headers
  // A body announced by Expect may never arrive.
  return encoding !== undefined || expect !== undefined || Number(length ?? 0) > SMALL_BODY_BYTES
}
