import { createHash } from 'node:crypto'
import { AppError } from '@sheaf/kit/errors'
import type { CallContext } from '@sheaf/protos/call'
import type {
  Preview,
  ReadOptions,
  WriteOptions,
} from '@sheaf/protos/sheaf/document_data/v1/options'
import type { DocumentSession } from '../routing/document-session'
import type { Exchange } from '../http/exchange'
import type { DocumentDataClients } from '../clients/document-data-clients'
import { prefersStrict } from '../http/preferences'
import { sendHead } from '../http/reply'
import type { RowFormat } from '../http/content-negotiation'
import type { Input } from '../routing/route'
import { changeJson } from './change-json'

/*
 * Conditional requests and paging, for every read or write of a document: the request headers If-Match,
 * If-None-Match, Idempotency-Key and Prefer, and the response headers ETag, X-Next-Cursor, X-Total-Count, Link and X-Pending-Columns.
 * Requests without these headers pay next to nothing.
 */

/** The part of a read or write response that becomes headers. */
export interface DocumentState {
  readonly etag?: string
  readonly notModified?: boolean
  readonly nextCursor?: string
  readonly totalCount?: number
  /** Names of columns whose cells are not all computed. */
  readonly pendingColumns?: string
  /** Of a dry run. */
  readonly preview?: Preview
}

/** The format of a response whose route offers several. */
type Form = Pick<RowFormat, 'tagSuffix'>

/** Suffix of the ETags of formats other than JSON, and of redacted responses. */
const FORM_SUFFIX = /(?:-[a-z]+)+$/
/** Visible ASCII, so that the key is safe in any log or header. */
const KEY = /^[\x21-\x7e]{1,255}$/
/** A list of weak or strong ETags; both are compared alike. */
const TAGS = /^\s*(?:W\/)?"[^"\s]*"\s*(?:,\s*(?:W\/)?"[^"\s]*"\s*)*$/

/**
 * Calls document-data to write a document, honouring If-Match, Idempotency-Key and Prefer, and adds its ETag to the
 * response. A write with an idempotency key is repeated while its effect is unknown, because it cannot take
 * effect twice. Throws AppError `invalid` for a malformed header.
 */
export async function writeDocument<R extends DocumentState>(
  exchange: Exchange,
  { document, bytes }: Pick<Input, 'document' | 'bytes'>,
  send: (home: DocumentDataClients, call: CallContext, options?: WriteOptions) => Promise<R>,
): Promise<R> {
  const { isDryRun } = exchange
  const options = getWriteOptions(exchange, bytes)
  const run = (home: DocumentDataClients, call: CallContext) => send(home, call, options)
  const written = await document.call(run, { isIdempotent: isDryRun || hasKey(options) })
  addStateHeaders(exchange, written)
  if (isDryRun) exchange.comparison = comparisonOf(written)
  return written
}

/** What a dry run would have changed, as members of a JSON object. */
export function comparisonOf({ preview }: DocumentState): Buffer {
  if (!preview) throw new Error('a dry run was answered as a write')
  const { change, pendingColumns } = preview
  const pending = JSON.stringify(pendingColumns?.split(', ') ?? [])
  return Buffer.concat([
    Buffer.from('"change":'),
    change ? changeJson(change, { oldValues: true }) : Buffer.from('null'),
    Buffer.from(`,"pendingColumns":${pending}`),
  ])
}

/**
 * Calls document-data to read a document, honouring If-None-Match, and adds its ETag to the response. Returns
 * undefined once 304 has been sent.
 */
export async function readDocument<R extends DocumentState>(
  exchange: Exchange,
  document: DocumentSession,
  send: (home: DocumentDataClients, call: CallContext, options?: ReadOptions) => Promise<R>,
): Promise<R | undefined> {
  const options = getReadOptions(exchange)
  const read = await document.read((home, call) => send(home, call, options))
  if (sendNotModified(exchange, read)) return undefined
  addStateHeaders(exchange, read)
  return read
}

/**
 * Returns the read options of a request for this format, JSON by default; undefined when it has none. A
 * malformed header is ignored, and ETags of other formats do not match.
 */
export function getReadOptions({ request, asOf }: Exchange, form?: Form): ReadOptions | undefined {
  const header = request.headers['if-none-match']
  const tags = header === undefined ? undefined : parseTags(header)
  if (!tags) return asOf && { ifNoneMatch: [], asOf }
  const own = form?.tagSuffix ?? ''
  const isOwn = (tag: string) => tag === '*' || (FORM_SUFFIX.exec(tag)?.[0] ?? '') === own
  return { ifNoneMatch: tags.filter(isOwn).map(withoutForm), asOf }
}

/** Returns the ETag of the document without the suffix of a format. */
function withoutForm(tag: string): string {
  return tag.replace(FORM_SUFFIX, '')
}

/** Sends 304 when the client's copy is current. Returns whether it did. */
export function sendNotModified(exchange: Exchange, state: DocumentState, form?: Form): boolean {
  if (!state.notModified) return false
  addStateHeaders(exchange, state, form)
  // The cached response may be a compressed one; its ETag is weak, the same for both.
  exchange.headers.push('Vary', 'Accept-Encoding')
  sendHead(exchange, { status: 304 })
  exchange.response.end()
  return true
}

/** Adds headers for the document's state, the total row count and the next page. */
export function addStateHeaders(
  { headers, request }: Exchange,
  { etag, nextCursor, totalCount, pendingColumns }: DocumentState,
  form?: Form,
): void {
  if (form) headers.push('Vary', 'Accept')
  if (etag !== undefined) headers.push('ETag', `W/"${etag}${form?.tagSuffix ?? ''}"`)
  if (pendingColumns !== undefined) headers.push('X-Pending-Columns', pendingColumns)
  if (totalCount !== undefined) headers.push('X-Total-Count', String(totalCount))
  if (nextCursor === undefined) return
  headers.push('X-Next-Cursor', nextCursor)
  // A request with a selection in its body cannot be linked to.
  if (request.method !== 'POST')
    headers.push('Link', `<${nextPage(request.url ?? '', nextCursor)}>; rel="next"`)
}

/** Relative to the request, so that it works below any prefix and behind any proxy. */
function nextPage(url: string, cursor: string): string {
  const query = new URLSearchParams(url.slice(url.indexOf('?') + 1))
  query.set('cursor', cursor)
  // The cursor already accounts for the skipped rows.
  query.delete('offset')
  return `?${query.toString()}`
}

/**
 * Options of a dry run. A document-data of an earlier version, which would write, refuses this key because it has no digest.
 */
export const dryRunOptions: WriteOptions = {
  ifMatch: [],
  strict: false,
  dryRun: true,
  idempotencyKey: 'dry-run',
  requestDigest: Buffer.alloc(0),
}

/**
 * Returns the write options of a request; undefined when it has none. Throws AppError `invalid` for a
 * malformed header.
 * @param bytes the body, by which a repetition is recognised; empty when the service compares bodies
 */
export function getWriteOptions(
  { request, isDryRun: dryRun }: Exchange,
  bytes: Buffer,
): WriteOptions | undefined {
  const { 'if-match': match } = request.headers
  const key = readKey(request)
  const strict = prefersStrict(request)
  if (match === undefined && key === undefined && !strict && !dryRun) return undefined
  const ifMatch = match === undefined ? [] : parseTags(match)?.map(withoutForm)
  if (!ifMatch)
    throw new AppError('invalid', 'INVALID_HEADER', 'If-Match must be * or a list of ETags')
  if (dryRun) return { ...dryRunOptions, ifMatch, strict }
  const requestDigest = key === undefined ? Buffer.alloc(0) : digest(request, bytes)
  return { ifMatch, strict, dryRun, idempotencyKey: key ?? '', requestDigest }
}

/**
 * Returns the write options of a request of which only the Idempotency-Key counts; undefined when it has none. Throws as
 * `getWriteOptions`.
 */
export function getKeyOptions({ request }: Exchange, bytes: Buffer): WriteOptions | undefined {
  const idempotencyKey = readKey(request)
  if (idempotencyKey === undefined) return undefined
  const requestDigest = digest(request, bytes)
  return { ifMatch: [], strict: false, dryRun: false, idempotencyKey, requestDigest }
}

function readKey({ headers }: Exchange['request']): string | undefined {
  const { 'idempotency-key': key } = headers
  if (key === undefined || (typeof key === 'string' && KEY.test(key))) return key
  throw new AppError(
    'invalid',
    'INVALID_HEADER',
    'Idempotency-Key must be 1 to 255 visible ASCII characters',
  )
}

/** True for a write that takes effect once, however often it is sent. */
export function hasKey(options: WriteOptions | undefined): boolean {
  return options !== undefined && options.idempotencyKey !== ''
}

function digest({ method = '', url = '' }: Exchange['request'], bytes: Buffer): Buffer {
  return createHash('sha256').update(`${method} ${url}\n`).update(bytes).digest()
}

function parseTags(header: string): string[] | undefined {
  if (header.trim() === '*') return ['*']
  if (!TAGS.test(header)) return undefined
  return [...header.matchAll(/"([^"]*)"/g)].map(([, tag = '']) => tag)
}
