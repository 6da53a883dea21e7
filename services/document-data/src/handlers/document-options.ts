import { AppError } from '@sheaf/kit/errors'
import type { ServerCall } from '@sheaf/auth/server-call'
import { encodeBytes, type Encoder } from '@sheaf/protos/bytes'
import type {
  Preview,
  ReadOptions,
  WriteOptions,
} from '@sheaf/protos/sheaf/document_data/v1/options'
import { createEvent } from '../changes/events'
import type { Context } from '../context'
import type { DocumentReader, DocumentWriter, Written } from '../store/document'
import type { Author } from '../store/log/log'
import { findReply, requireStorable, type ReplyKey } from '../store/log/replies'
import { pendingNames, unfinishedColumns } from '../store/schema/unfinished-columns'
import { authorOf } from './document-call'
import { writeCapsOf } from './key-caps'

/*
 * Options common to all reads and writes of a document, and the fields common to all responses: log position
 * and document tag. All handlers of document-data read and write through the two functions of this file.
 */

/** Maximum length of an idempotency key. */
const MAX_KEY_LENGTH = 255
const DIGEST_BYTES = 32

/** Fields of every write response. */
interface WriteResponse {
  seq: number
  etag?: string
  preview?: Preview
}

/** Fields of every read response. */
interface ReadResponse extends WriteResponse {
  notModified?: boolean
}

/** The generated functions of a response message. */
interface MessageOf<R> extends Encoder<R> {
  decode(bytes: Uint8Array): R
  fromPartial(object: object): R
}

interface WriteRequest {
  readonly docId: string
  readonly options?: WriteOptions
}

interface ReadRequest {
  readonly docId: string
  readonly options?: ReadOptions
}

/** A write as defined by a handler. */
interface Write<R> {
  /** The response message, stored for repeated requests. */
  readonly response: MessageOf<R>
  /** The cause of the change; the API if absent. */
  readonly cause?: Author['cause']
  /** Makes the change within its transaction and returns the response except for log position and tag. */
  readonly run: (doc: DocumentWriter) => Omit<R, keyof WriteResponse>
}

/**
 * Runs a write with its options and returns the response once it is on disk. Throws `precondition` if the
 * document has changed, `mismatch` for an idempotency key used by another request, `forbidden` or `too_many` beyond
 * a cap of the caller's key, and the errors of the write itself; in each case nothing is changed. With `dry_run`
 * nothing is changed either.
 */
export async function runWrite<R extends WriteResponse>(
  ctx: Context,
  call: ServerCall,
  { docId, options }: WriteRequest,
  write: Write<R>,
): Promise<R> {
  const isPreview = options?.dryRun === true
  const key = options && readKey(options, call.caller.userId)
  const { epoch } = ctx.documents.stateOf(docId)
  const caps = writeCapsOf(ctx.keyWrites, call, docId)
  const run = (doc: DocumentWriter): R => {
    const reply = write.run(doc)
    caps?.require(doc)
    // The write provides all fields of a response except these two.
    return { ...reply, seq: doc.nextSeq, etag: tagAt(epoch, doc.nextSeq) } as R
  }
  const runAsked = (doc: DocumentWriter): R => {
    const kept = findKept(doc, { key, ifMatch: options?.ifMatch ?? [], epoch })
    if (kept) return write.response.decode(kept)
    const response = run(doc)
    if (key) {
      const bytes = encodeBytes(write.response, response)
      requireStorable(bytes)
      doc.reply = { ...key, seq: response.seq, bytes }
    }
    return response
  }
  const author = write.cause ? { ...authorOf(call), cause: write.cause } : authorOf(call)
  // In an object, because the type system cannot tell that a generic response is no promise.
  const answer = (doc: DocumentWriter) => ({ response: options ? runAsked(doc) : run(doc) })
  if (isPreview) {
    const previewing = ctx.documents.preview(docId, author, answer, call.signal)
    const { result, preview } = await previewing.finally(() => caps?.failed())
    return { ...result.response, etag: undefined, preview: toPreview(docId, preview) }
  }
  const writing = ctx.documents.transact(docId, author, answer, call.signal)
  if (caps) writing.catch(() => caps.failed())
  const { result } = await writing
  return result.response
}

/**
 * The response to an earlier write with the same idempotency key, for a handler whose write begins with long work; undefined when
 * there is none. Throws `precondition` and `mismatch` as `runWrite`.
 */
export async function findResponse<R>(
  ctx: Context,
  call: ServerCall,
  { docId, options }: WriteRequest,
  response: MessageOf<R>,
): Promise<R | undefined> {
  if (!options) return undefined
  const key = readKey(options, call.caller.userId)
  const { epoch } = ctx.documents.stateOf(docId)
  // As a write, so that the response is durable.
  const find = (doc: DocumentWriter) => ({
    kept: findKept(doc, { key, ifMatch: options.ifMatch, epoch }),
  })
  const { result } = await ctx.documents.transact(docId, authorOf(call), find, call.signal)
  return result.kept && response.decode(result.kept)
}

interface WriteConditions {
  readonly key: ReplyKey | undefined
  readonly ifMatch: readonly string[]
  readonly epoch: string
}

/** The kept reply to a write. Throws `precondition` when there is none and the document has changed. */
function findKept(doc: DocumentWriter, { key, ifMatch, epoch }: WriteConditions) {
  const kept = key && findReply(doc.connection, key, doc.earlierReplies)
  if (!kept) requireMatch(ifMatch, tagAt(epoch, doc.seq))
  return kept
}

function toPreview(docId: string, preview: Written<unknown>['preview']): Preview | undefined {
  if (!preview) return undefined
  const { entry, schema } = preview
  const pendingColumns = pendingNames(unfinishedColumns(schema.tables))
  const change = entry && createEvent(entry, { docId, oldValues: true, removedCells: true })
  return { change, pendingColumns }
}

/** Whether a write rejects what others keep: see WriteOptions. */
export function isStrict({ options }: { readonly options?: WriteOptions }): boolean {
  return options?.strict ?? false
}

/** Runs a short read and returns its response, unless the caller already has this state of the document. */
export function runRead<R extends ReadResponse>(
  ctx: Context,
  { docId, options }: ReadRequest,
  response: MessageOf<R>,
  run: (doc: DocumentReader) => Omit<R, keyof ReadResponse>,
): R {
  const current = ctx.documents.stateOf(docId)
  const { seq } = current
  const etag = tagOf(current)
  if (options && isKnown(options, current))
    return response.fromPartial({ seq, etag, notModified: true })
  const reply = ctx.documents.read<object>(docId, run)
  return { ...reply, seq, etag } as R
}

/** The state of a document that a read shows. */
export interface ShownState {
  readonly epoch: string
  readonly seq: number
  /** True when cells of formulas are still to be computed, which may change what a read shows and not the position. */
  readonly isPending: boolean
}

/** Ends the tag of a state with pending cells. */
const PENDING_MARK = '~'

/** The tag of a document for a read that shows this state. */
export function tagOf({ epoch, seq, isPending }: ShownState): string {
  return tagAt(epoch, seq) + (isPending ? PENDING_MARK : '')
}

function tagAt(epoch: string, seq: number): string {
  return `${epoch}.${seq}`
}

/** Whether the caller already has the current state; never while cells are pending. */
export function isKnown({ ifNoneMatch }: ReadOptions, state: ShownState): boolean {
  return !state.isPending && matches(ifNoneMatch, tagOf(state))
}

function matches(tags: readonly string[], tag: string): boolean {
  return tags.includes(tag) || tags.includes('*')
}

function requireMatch(tags: readonly string[], tag: string): void {
  // What is pending follows from the log, so a write may be based on a state with pending cells.
  const plain = tags.map((one) => (one.endsWith(PENDING_MARK) ? one.slice(0, -1) : one))
  if (tags.length > 0 && !matches(plain, tag))
    throw new AppError(
      'precondition',
      'DOCUMENT_CHANGED',
      'If-Match does not match: the document has changed',
    )
}

function readKey(options: WriteOptions, userId: number): ReplyKey | undefined {
  const { idempotencyKey: key, requestDigest: digest, dryRun } = options
  if (key === '' || dryRun) return undefined
  if (key.length > MAX_KEY_LENGTH)
    throw new AppError('invalid', 'BAD_FIELD', 'options.idempotency_key is too long')
  if (digest.length !== DIGEST_BYTES)
    throw new AppError('invalid', 'BAD_FIELD', 'options.request_digest must be 32 bytes long')
  return { userId, key, digest }
}
