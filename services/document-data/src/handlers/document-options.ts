import { AppError } from '@sheaf/kit/errors'
import type { ServerCall } from '@sheaf/auth/server-call'
import { encodeBytes, type Encoder } from '@sheaf/protos/bytes'
import type { ReadOptions, WriteOptions } from '@sheaf/protos/sheaf/document_data/v1/options'
import type { Context } from '../context'
import type { DocumentReader, DocumentWriter } from '../store/document'
import type { Author } from '../store/log/log'
import { findReply, keepReply, type ReplyKey } from '../store/records/idempotency'
import { authorOf } from './document-call'

/*
 * What a caller may ask of any read or write of a document, and what every response tells: where the log stands, and the
 * tag of the document. The handlers of document-data read and write through the two functions here.
 */

/** Names that callers give to their writes are at most so long. */
const MAX_KEY_LENGTH = 255
const DIGEST_BYTES = 32

/** What every response to a write tells. */
interface WriteResponse {
  seq: number
  etag?: string
}

/** What every response to a read tells. */
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

/** A write as a handler describes it. */
interface Write<R> {
  /** The message of its response, which is kept for repetitions. */
  readonly response: MessageOf<R>
  /** What makes the change; the API unless given. */
  readonly cause?: Author['cause']
  /** Does it, within its transaction, and gives what the response tells beside log position and tag. */
  readonly run: (doc: DocumentWriter) => Omit<R, keyof WriteResponse>
}

/**
 * Runs a write with what is asked of it, and gives its response when it is on disk. Throws `precondition` when the
 * document has changed, `mismatch` for a key that another request had, and what the write throws; then nothing changed.
 */
export async function runWrite<R extends WriteResponse>(
  ctx: Context,
  call: ServerCall,
  { docId, options }: WriteRequest,
  write: Write<R>,
): Promise<R> {
  const key = options && readKey(options, call.caller.userId)
  const { epoch } = ctx.documents.stateOf(docId)
  const run = (doc: DocumentWriter): R => {
    const told = write.run(doc)
    // All fields of a response but these two come from the write.
    return { ...told, seq: doc.nextSeq, etag: tagOf(epoch, doc.nextSeq) } as R
  }
  const runAsked = (doc: DocumentWriter): R => {
    const kept = key && findReply(doc.connection, key)
    if (kept) return write.response.decode(kept)
    requireMatch(options?.ifMatch ?? [], tagOf(epoch, doc.seq))
    const response = run(doc)
    if (key) {
      const bytes = encodeBytes(write.response, response)
      keepReply(doc.connection, key, { seq: response.seq, bytes })
    }
    return response
  }
  // In an object, because the type system cannot tell that a generic response is no promise.
  const { result } = await ctx.documents.transact(
    docId,
    write.cause ? { ...authorOf(call), cause: write.cause } : authorOf(call),
    (doc) => ({ response: options ? runAsked(doc) : run(doc) }),
    call.signal,
  )
  return result.response
}

/** Runs a short read, unless the caller knows this state of the document, and gives its response. */
export function runRead<R extends ReadResponse>(
  ctx: Context,
  { docId, options }: ReadRequest,
  response: MessageOf<R>,
  run: (doc: DocumentReader) => Omit<R, keyof ReadResponse>,
): R {
  const { epoch, seq } = ctx.documents.stateOf(docId)
  const etag = tagOf(epoch, seq)
  if (options && isKnown(options, etag))
    return response.fromPartial({ seq, etag, notModified: true })
  const told = ctx.documents.read<object>(docId, run)
  return { ...told, seq, etag } as R
}

/** The tag of a document as of a log position. */
export function tagOf(epoch: string, seq: number): string {
  return `${epoch}.${seq}`
}

/** True when what the caller knows is what there is. */
export function isKnown({ ifNoneMatch }: ReadOptions, tag: string): boolean {
  return matches(ifNoneMatch, tag)
}

function matches(tags: readonly string[], tag: string): boolean {
  return tags.includes(tag) || tags.includes('*')
}

function requireMatch(tags: readonly string[], tag: string): void {
  if (tags.length > 0 && !matches(tags, tag))
    throw new AppError(
      'precondition',
      'DOCUMENT_CHANGED',
      'If-Match does not match: the document has changed',
    )
}

function readKey(options: WriteOptions, userId: number): ReplyKey | undefined {
  const { idempotencyKey: key, requestDigest: digest } = options
  if (key === '') return undefined
  if (key.length > MAX_KEY_LENGTH)
    throw new AppError('invalid', 'BAD_FIELD', 'options.idempotency_key is too long')
  if (digest.length !== DIGEST_BYTES)
    throw new AppError('invalid', 'BAD_FIELD', 'options.request_digest must be 32 bytes long')
  return { userId, key, digest }
}
