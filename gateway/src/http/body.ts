import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import { AppError } from '@sheaf/kit/errors'
import { isTooDeep } from '@sheaf/kit/json-depth'
import { shorten } from '@sheaf/kit/truncate-text'
import { watchSender } from './body-rate'
import type { Exchange } from './exchange'

/** The forms of the sign-in pages have a few short fields. */
const MAX_FORM_BYTES = 16 * 1024
const MIB = 1024 * 1024
/** Nesting of a JSON body, more than a cell or a filter may have: what reads bodies may be recursive. */
const MAX_NESTING = 100

const EMPTY_OBJECT = Buffer.from('{}')

const SIZE_SETTING = 'SHEAF_MAX_BODY_MB'
const ENCODINGS = ['br', 'deflate', 'gzip', 'identity']

/** The error for a body of more than `limit` bytes. `setting` names what sets that limit, if anything does. */
function bodyTooLarge(limit: number, setting = ''): AppError {
  const shown = limit < MIB ? `${limit / 1024} KiB` : `${limit / MIB} MiB`
  const source = setting === '' ? '' : ` (${setting})`
  const message = `request entity too large: the limit is ${shown}${source}`
  const details = { limit: String(limit), ...(setting !== '' && { setting }) }
  return new AppError('too_large', 'BODY_TOO_LARGE', message, details)
}

/** The error for a JSON body, or for the parts of a form that are not files, beyond the limit of the operator. */
export function beyondMaxBody({ maxBodyBytes }: { readonly maxBodyBytes: number }): AppError {
  return bodyTooLarge(maxBodyBytes, SIZE_SETTING)
}

/** A body as received. */
export interface ReceivedBody {
  /** `{}` for an empty body. */
  readonly bytes: Buffer
  /** Present when the body is not declared as JSON; it has then been neither decoded nor kept. */
  readonly fault?: AppError
}

/**
 * Reads a JSON body as bytes; an empty one counts as `{}`. A body of another content type is not read but
 * reported, for the route to reject. Throws AppError: `too_large` beyond the limit, `unsupported_media` for an
 * unknown encoding, `unavailable` when the memory limit for bodies is reached, `timeout` when the client
 * stalls.
 * @param maxBytes a lower limit than that of the operator
 */
export async function readJsonBytes(
  exchange: Exchange,
  maxBytes = Infinity,
): Promise<ReceivedBody> {
  const { request, context } = exchange
  if (!hasBody(request)) return { bytes: EMPTY_OBJECT }
  const isJson = hasJsonType(request)
  const announced = Number(request.headers['content-length'] ?? 0)
  if (!isJson && announced > 0) return foreignBody(request)
  const limit = limitOf(context.config, maxBytes)
  if (announced > limit.maxBytes) throw limit.tooLarge()
  exchange.requireRoom(announced)
  const stream = decoded(request)
  // Requests the body only now: a client whose request was rejected earlier has not sent it.
  if (request.headers.expect?.toLowerCase() === '100-continue') exchange.response.writeContinue()
  // A body of unannounced length may turn out to be empty, whatever its type.
  const bytes = await collect(stream, exchange, limit)
  if (bytes.length === 0) return { bytes: EMPTY_OBJECT }
  if (isJson) return { bytes }
  exchange.dropBody()
  return foreignBody(request)
}

function foreignBody({ headers }: IncomingMessage): ReceivedBody {
  const sent = headers['content-type']
  const how = sent
    ? `the body was sent as "${shorten(sent)}"`
    : 'the body was sent without a Content-Type'
  const message = `${how}: send JSON with the header "Content-Type: application/json"`
  return {
    bytes: EMPTY_OBJECT,
    fault: new AppError('unsupported_media', 'UNSUPPORTED_MEDIA_TYPE', message, {
      allowed: 'application/json',
    }),
  }
}

/**
 * Reads the fields of a URL-encoded form. Throws AppError: `unsupported_media` for another content type,
 * `too_large` beyond some kilobytes, otherwise as `readJsonBytes`.
 */
export async function readForm(exchange: Exchange): Promise<URLSearchParams> {
  const [mediaType = ''] = (exchange.request.headers['content-type'] ?? '').split(';')
  if (mediaType.trim().toLowerCase() !== 'application/x-www-form-urlencoded')
    throw new AppError(
      'unsupported_media',
      'UNSUPPORTED_FORM',
      'the body must be application/x-www-form-urlencoded',
      { allowed: 'application/x-www-form-urlencoded' },
    )
  const bytes = await collect(exchange.request, exchange, {
    maxBytes: MAX_FORM_BYTES,
    tooLarge: () => bodyTooLarge(MAX_FORM_BYTES),
  })
  return new URLSearchParams(bytes.toString())
}

/**
 * Parses a JSON text whose top level is an object or a list. Throws AppError `invalid`, with the parser's
 * message, for anything else, and for arrays and objects that are nested too deeply.
 */
export function parseJson(bytes: Buffer): unknown {
  const value = parse(bytes)
  if (typeof value !== 'object' || value === null)
    throw malformed('the body must be a JSON object or array')
  if (isTooDeep(value, MAX_NESTING))
    throw malformed(`the body must not be nested deeper than ${MAX_NESTING} levels`)
  return value
}

const malformed = (message: string) => new AppError('invalid', 'MALFORMED_JSON', message)

function parse(bytes: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch (error) {
    const isSyntax = error instanceof SyntaxError
    throw malformed(isSyntax ? error.message : 'the body must be valid UTF-8')
  }
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
}

function hasJsonType({ headers }: IncomingMessage): boolean {
  const [mediaType = '', ...parameters] = (headers['content-type'] ?? '').toLowerCase().split(';')
  if (mediaType.trim() !== 'application/json') return false
  const charset = parameters.map((text) => /^\s*charset="?([^"\s]*)/.exec(text)?.[1]).find(Boolean)
  if (charset === undefined || charset === 'utf-8' || charset === 'utf8') return true
  throw new AppError(
    'unsupported_media',
    'UNSUPPORTED_CHARSET',
    `unsupported charset "${shorten(charset)}"; send UTF-8`,
    { allowed: 'utf-8' },
  )
}

/** Returns the body without its content encoding. Throws AppError `unsupported_media` for an unknown one. */
export function decoded(request: IncomingMessage): Readable {
  const encoding = request.headers['content-encoding']?.toLowerCase() ?? 'identity'
  if (encoding === 'identity') return request
  const decoder = createDecoder(encoding)
  request.once('error', (error) => decoder.destroy(error))
  return request.pipe(decoder)
}

function createDecoder(encoding: string) {
  if (encoding === 'gzip') return createGunzip()
  if (encoding === 'deflate') return createInflate()
  if (encoding === 'br') return createBrotliDecompress()
  const allowed = ENCODINGS.join(', ')
  const message = `unsupported content encoding "${shorten(encoding)}"; supported: ${allowed}`
  throw new AppError('unsupported_media', 'UNSUPPORTED_ENCODING', message, { allowed })
}

/** How long a body may be, and the error for a longer one. */
interface BodyLimit {
  readonly maxBytes: number
  readonly tooLarge: () => AppError
}

/** The lower one of a limit and that of the operator. */
function limitOf(config: { readonly maxBodyBytes: number }, maxBytes: number): BodyLimit {
  return maxBytes < config.maxBodyBytes
    ? { maxBytes, tooLarge: () => bodyTooLarge(maxBytes) }
    : { maxBytes: config.maxBodyBytes, tooLarge: () => beyondMaxBody(config) }
}

/** Reads a stream to its end, up to the size limit and the available memory budget. */
function collect(
  stream: Readable,
  exchange: Exchange,
  { maxBytes, tooLarge }: BodyLimit,
): Promise<Buffer> {
  const { cancellation } = exchange
  const { timeouts } = exchange.context.config
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let length = 0
    const onData = (chunk: Buffer) => {
      length += chunk.length
      if (length > maxBytes) return fail(tooLarge())
      try {
        exchange.keep(chunk.length)
      } catch (error) {
        return fail(error as Error)
      }
      chunks.push(chunk)
    }
    const onEnd = () => {
      settle()
      resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks, length))
    }
    const onError = () =>
      fail(new AppError('invalid', 'BODY_UNREADABLE', 'the body cannot be read'))
    const onAbort = () => fail(cancellation.reason)
    const onSlow = () =>
      fail(new AppError('timeout', 'REQUEST_TIMEOUT', 'timed out while receiving the body'))
    function settle() {
      watch.stop()
      stream.off('data', onData).off('end', onEnd).off('error', onError)
      cancellation.removeEventListener('abort', onAbort)
    }
    function fail(error: Error) {
      settle()
      exchange.dropBody()
      // Late errors of an abandoned stream are ignored; unhandled, they would end the process.
      stream.on('error', () => {})
      stream.pause()
      reject(error)
    }
    const watch = watchSender(stream, timeouts.stallMs, onSlow)
    if (cancellation.aborted) return onAbort()
    stream.on('data', onData).once('end', onEnd).once('error', onError)
    cancellation.addEventListener('abort', onAbort)
  })
}
