import { createHash } from 'node:crypto'
import { AppError } from '@sheaf/kit/errors'
import type { CallContext } from '@sheaf/protos/call'
import type { ReadOptions, WriteOptions } from '@sheaf/protos/sheaf/document_data/v1/options'
import type { DocumentSession } from '../routing/document-session'
import type { Exchange } from '../http/exchange'
import type { HomeClients } from '../clients/document-data-channels'
import { sendHead } from '../http/reply'
import type { ResultForm } from '../http/content-negotiation'
import type { Input } from '../routing/route'

/*
 * What a client may ask of any read or write of a document, by headers, and what every answer to one tells: the tag of
 * the document, and where the next page is. All of it costs next to nothing for requests that ask nothing.
 */

/** Of the response to a read or write, what its answer tells in headers. */
export interface DocumentState {
  readonly etag?: string
  readonly notModified?: boolean
  readonly nextCursor?: string
  readonly totalCount?: number
}

/** The form of an answer, where its route has several. */
type Form = Pick<ResultForm, 'tagSuffix'>

/** Ends the tags of forms that are not JSON, and of answers that do not tell all. */
const FORM_SUFFIX = /(?:-[a-z]+)+$/
/** Visible characters, so that it can be told in any log or header. */
const KEY = /^[\x21-\x7e]{1,255}$/
/** A list of tags, weak or strong, which are compared alike. */
const TAGS = /^\s*(?:W\/)?"[^"\s]*"\s*(?:,\s*(?:W\/)?"[^"\s]*"\s*)*$/

/**
 * Makes a call that writes a document, with what the headers If-Match and Idempotency-Key ask, and notes its tag for the
 * answer. A write with a key is tried again when its fate is unknown, because it cannot be done twice. Throws AppError
 * `invalid` for such a header that is not valid.
 */
export async function writeDocument<R extends DocumentState>(
  exchange: Exchange,
  { document, bytes }: Pick<Input, 'document' | 'bytes'>,
  send: (home: HomeClients, call: CallContext, options?: WriteOptions) => Promise<R>,
): Promise<R> {
  const options = readWriteOptions(exchange, bytes)
  const run = (home: HomeClients, call: CallContext) => send(home, call, options)
  const isRepeatable = options !== undefined && options.idempotencyKey !== ''
  const written = await (isRepeatable ? document.callUntilSettled(run) : document.call(run))
  tellState(exchange, written)
  return written
}

/**
 * Makes a call that reads a document, unless it is as the header If-None-Match says, and notes its tag for the answer.
 * Undefined when there is nothing to add: then 304 was answered.
 */
export async function readDocument<R extends DocumentState>(
  exchange: Exchange,
  document: DocumentSession,
  send: (home: HomeClients, call: CallContext, options?: ReadOptions) => Promise<R>,
): Promise<R | undefined> {
  const options = readOptionsOf(exchange)
  const read = await document.call((home, call) => send(home, call, options))
  if (answerNotModified(exchange, read)) return undefined
  tellState(exchange, read)
  return read
}

/**
 * What is asked of a read in this form, JSON when absent; undefined when nothing is. A header that cannot be understood asks
 * nothing, and who knows another form does not know this one.
 */
export function readOptionsOf({ request }: Exchange, form?: Form): ReadOptions | undefined {
  const header = request.headers['if-none-match']
  const tags = header === undefined ? undefined : parseTags(header)
  if (!tags) return undefined
  const own = form?.tagSuffix ?? ''
  const isOwn = (tag: string) => tag === '*' || (FORM_SUFFIX.exec(tag)?.[0] ?? '') === own
  return { ifNoneMatch: tags.filter(isOwn).map(withoutForm) }
}

/** The tag of the document, whatever form it was told with. */
function withoutForm(tag: string): string {
  return tag.replace(FORM_SUFFIX, '')
}

/** Answers 304 when the client knows what it asked for. */
export function answerNotModified(exchange: Exchange, state: DocumentState, form?: Form): boolean {
  if (!state.notModified) return false
  tellState(exchange, state, form)
  sendHead(exchange, { status: 304 })
  exchange.response.end()
  return true
}

/** Notes for the answer which state of the document it shows, how many rows there are, and where the next page is. */
export function tellState(
  { headers, request }: Exchange,
  { etag, nextCursor, totalCount }: DocumentState,
  form?: Form,
): void {
  if (form) headers.push('Vary', 'Accept')
  if (etag !== undefined) headers.push('ETag', `W/"${etag}${form?.tagSuffix ?? ''}"`)
  if (totalCount !== undefined) headers.push('X-Total-Count', String(totalCount))
  if (nextCursor === undefined) return
  headers.push('X-Next-Cursor', nextCursor)
  // A selection in a body cannot be linked to.
  if (request.method !== 'POST')
    headers.push('Link', `<${nextPage(request.url ?? '', nextCursor)}>; rel="next"`)
}

/** Relative to the request, so that it holds below any prefix and behind any proxy. */
function nextPage(url: string, cursor: string): string {
  const query = new URLSearchParams(url.slice(url.indexOf('?') + 1))
  query.set('cursor', cursor)
  // The cursor is behind what was skipped.
  query.delete('offset')
  return `?${query.toString()}`
}

/**
 * What is asked of a write; undefined when nothing is. Throws AppError `invalid` for a header that is not valid.
 * @param bytes the body, by which a repetition is recognised, unless the service does that
 */
export function readWriteOptions({ request }: Exchange, bytes: Buffer): WriteOptions | undefined {
  const { 'if-match': match, 'idempotency-key': key } = request.headers
  if (match === undefined && key === undefined) return undefined
  const ifMatch = match === undefined ? [] : parseTags(match)?.map(withoutForm)
  if (!ifMatch)
    throw new AppError('invalid', 'INVALID_HEADER', 'If-Match must be * or a list of ETags')
  if (key === undefined) return { ifMatch, idempotencyKey: '', requestDigest: Buffer.alloc(0) }
  if (typeof key !== 'string' || !KEY.test(key))
    throw new AppError(
      'invalid',
      'INVALID_HEADER',
      'Idempotency-Key must be 1 to 255 visible ASCII characters',
    )
  return { ifMatch, idempotencyKey: key, requestDigest: digest(request, bytes) }
}

function digest({ method = '', url = '' }: Exchange['request'], bytes: Buffer): Buffer {
  return createHash('sha256').update(`${method} ${url}\n`).update(bytes).digest()
}

function parseTags(header: string): string[] | undefined {
  if (header.trim() === '*') return ['*']
  if (!TAGS.test(header)) return undefined
  return [...header.matchAll(/"([^"]*)"/g)].map(([, tag = '']) => tag)
}
