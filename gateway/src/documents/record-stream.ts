import type { Writable } from 'node:stream'
import { toAppError } from '@sheaf/kit/errors'
import { waitForDrain } from '@sheaf/kit/wait-for-drain'
import type { CallContext } from '@sheaf/protos/call'
import type { ReadRecordsResponse } from '@sheaf/protos/sheaf/document_data/v1/records'
import type { DocumentSession } from '../routing/document-session'
import type { Exchange } from '../http/exchange'
import type { DocumentDataClients } from '../clients/document-data-clients'
import { ResponsePacer } from '../limits/response-pacing'
import { beginBody, sendBytes, sendHead, type ReplyHead } from '../http/reply'
import type { RowFormat } from '../http/content-negotiation'
import { AccessWatch } from './access-watch'
import { sendNotModified, addStateHeaders, type DocumentState } from './conditional-requests'

/** Bytes that a client has to read in its time; also what one response buffers at most, about. */
const PART_BYTES = 256 * 1024

/** A chunk of the response; the first one carries the document's state, where it is known. */
type Piece = Pick<ReadRecordsResponse, 'chunk'> & DocumentState

type Chunks = AsyncIterator<Piece>

/** Opens a stream of chunks at a document's home. */
export type OpenChunks<P extends Piece = Piece> = (
  home: DocumentDataClients,
  call: CallContext,
) => AsyncIterable<P>

/** The properties of a response that is not plain JSON. */
interface StreamedResponse<P extends Piece> {
  /** The format of the chunks, where the route offers several. */
  readonly form?: RowFormat
  /** For a response that is a file; may depend on the first chunk. */
  readonly head?: (first: P) => ReplyHead
}

/**
 * Sends the bytes of a stream with backpressure from the client. Nothing is sent before the first chunks have
 * arrived, so that an error gets its status, or is repeated at another home; a later error destroys the connection, so that no client accepts
 * a truncated response as complete. A response also ends within seconds of a revocation of the caller's access.
 */
export async function sendChunks<P extends Piece = Piece>(
  exchange: Exchange,
  document: DocumentSession,
  open: OpenChunks<P>,
  { form, head = () => ({ mediaType: form?.mediaType }) }: StreamedResponse<P> = {},
): Promise<void> {
  const { response } = exchange
  exchange.requireReader(1)
  const { chunks, results } = await document.read((home, call) =>
    begin(exchange, open(home, call)[Symbol.asyncIterator]()),
  )
  let watch: AccessWatch | undefined
  try {
    const waiting = await sendStart(exchange, results, { form, head })
    if (!waiting) return
    watch = new AccessWatch(document, ({ reason }) => endResponse(exchange, reason))
    await pump(exchange, waiting, chunks)
    waiting.sink.end()
    exchange.expectRead()
  } catch (error) {
    if (!response.headersSent) throw error
    if (!response.destroyed) logBreak(exchange, error)
    exchange.breakOff()
  } finally {
    watch?.[Symbol.dispose]()
    // Cancels the call unless it has completed.
    await chunks.return?.()
  }
}

/** Breaks off a response whose caller may no longer read it. */
function endResponse(exchange: Exchange, reason: string): void {
  const { response, context, requestId } = exchange
  if (response.destroyed || response.writableFinished) return
  context.log.info({ requestId, reason }, 'a streamed response was ended, access was revoked')
  exchange.breakOff()
}

/** A response whose head has been sent. */
interface BegunResponse {
  /** The stream that its body is written to. */
  readonly sink: Writable
  /** Chunks that have been read and not written. */
  readonly read: Buffer[]
}

/** Reads what must be known before the head is sent: the first chunk, and whether there is another. */
async function begin<P extends Piece>(
  { request }: Exchange,
  chunks: AsyncIterator<P>,
): Promise<{ chunks: AsyncIterator<P>; results: IteratorResult<P>[] }> {
  const first = await chunks.next()
  if (first.done || first.value.notModified || request.method === 'HEAD')
    return { chunks, results: [first] }
  return { chunks, results: [first, await chunks.next()] }
}

/**
 * Sends a response of one chunk, or only the head of a longer one, which it returns. What is read is passed in lists, and taken from them: a variable would hold a chunk until the end of the
 * response, which may last.
 */
async function sendStart<P extends Piece>(
  exchange: Exchange,
  results: IteratorResult<P>[],
  { form, head }: Required<Pick<StreamedResponse<P>, 'head'>> & StreamedResponse<P>,
): Promise<BegunResponse | undefined> {
  const first = results.shift()
  if (!first || first.done) throw new Error('document-data sent no data')
  if (sendNotModified(exchange, first.value, form)) return undefined
  const { chunk } = first.value
  if (exchange.request.method === 'HEAD') {
    addStateHeaders(exchange, first.value, form)
    sendHead(exchange, head(first.value))
    exchange.response.end()
    return undefined
  }
  const next = results.shift()
  const second = next && !next.done ? next.value.chunk : undefined
  if (!second) exchange.requireReader(chunk.length)
  addStateHeaders(exchange, first.value, form)
  if (second) return { sink: beginBody(exchange, head(first.value)), read: [chunk, second] }
  sendBytes(exchange, chunk, head(first.value))
  exchange.expectRead()
  return undefined
}

async function pump(
  exchange: Exchange,
  { sink, read }: BegunResponse,
  chunks: Chunks,
): Promise<void> {
  using answer = new ResponsePacer(exchange.context.load, exchange.signal)
  for (let chunk = read.shift(); chunk; chunk = read.shift() ?? (await nextChunk(chunks))) {
    await writeChunk(exchange, chunk, sink)
    await answer.pace(chunk.length)
  }
}

async function nextChunk(chunks: Chunks): Promise<Buffer | undefined> {
  const next = await chunks.next()
  return next.done ? undefined : next.value.chunk
}

/**
 * Writes a chunk to the response, or to the stream that leads to it; resolves when the next one may follow. Throws when
 * the client has disconnected, or takes too long to read a part of it.
 */
export async function writeChunk(
  { response, context, signal }: Exchange,
  chunk: Buffer,
  sink: Writable = response,
): Promise<void> {
  for (let start = 0; start < chunk.length; start += PART_BYTES) {
    signal.throwIfAborted()
    if (sink.write(chunk.subarray(start, start + PART_BYTES))) continue
    await waitForDrain(sink, { signal, timeoutMs: context.config.timeouts.unreadMs })
  }
  signal.throwIfAborted()
}

function logBreak({ context, requestId, signal }: Exchange, error: unknown): void {
  if (signal.aborted) return
  const reason = toAppError(error)?.reason
  const { message } = error as Error
  context.log.warn({ requestId, reason, message }, 'a streamed response was interrupted')
}
