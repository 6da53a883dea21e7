import { toAppError } from '@sheaf/kit/errors'
import { waitForDrain } from '@sheaf/kit/wait-for-drain'
import type { CallContext } from '@sheaf/protos/call'
import type { ReadRecordsResponse } from '@sheaf/protos/sheaf/document_data/v1/records'
import type { DocumentSession } from '../routing/document-session'
import type { Exchange } from '../http/exchange'
import type { HomeClients } from '../clients/document-data-channels'
import { LongAnswer } from '../limits/response-pacing'
import { sendBytes, sendHead, type ReplyHead } from '../http/reply'
import type { ResultForm } from '../http/content-negotiation'
import { answerNotModified, tellState, type DocumentState } from './conditional-requests'

/** A piece of the answer; the first one also tells the state of the document, where that is known. */
type Piece = Pick<ReadRecordsResponse, 'chunk'> & DocumentState

type Chunks = AsyncIterator<Piece>

/** Opens a stream of chunks at a document's home. */
export type OpenChunks<P extends Piece = Piece> = (
  home: HomeClients,
  call: CallContext,
) => AsyncIterable<P>

/** What an answer is, where it is not JSON. */
interface AnswerForm<P extends Piece> {
  /** The form that the chunks are in, where the route has several. */
  readonly form?: ResultForm
  /** Of an answer that is a file; may depend on the first piece. */
  readonly head?: (first: P) => ReplyHead
}

/**
 * Answers with the bytes of a stream, as fast as the client takes them and no faster. Nothing is sent before the first
 * chunk is there, so that an error gets its status; an error after that destroys the connection, so that nobody takes
 * half an answer for a whole one.
 */
export async function sendChunks<P extends Piece = Piece>(
  exchange: Exchange,
  document: DocumentSession,
  open: OpenChunks<P>,
  { form, head = () => ({ mediaType: form?.mediaType }) }: AnswerForm<P> = {},
): Promise<void> {
  const { request, response } = exchange
  const { chunks, first } = await document.call(async (home, call) => {
    const chunks = open(home, call)[Symbol.asyncIterator]()
    return { chunks, first: await chunks.next() }
  })
  try {
    if (first.done) throw new Error('document-data sent no chunk')
    if (answerNotModified(exchange, first.value, form)) return
    const { chunk } = first.value
    if (request.method === 'HEAD') {
      tellState(exchange, first.value, form)
      sendHead(exchange, head(first.value))
      response.end()
      return
    }
    const second = await nextChunk(chunks)
    tellState(exchange, first.value, form)
    if (second === undefined) return sendBytes(exchange, chunk, head(first.value))
    sendHead(exchange, head(first.value))
    await writeChunk(exchange, chunk)
    await pump(exchange, chunks, second)
    response.end()
  } catch (error) {
    if (!response.headersSent) throw error
    if (!response.destroyed) logBreak(exchange, error)
    response.destroy()
  } finally {
    // Cancels the call when it has not come to its end.
    await chunks.return?.()
  }
}

async function pump(exchange: Exchange, chunks: Chunks, start: Buffer): Promise<void> {
  using answer = new LongAnswer(exchange.context.load, exchange.signal)
  for (let chunk: Buffer | undefined = start; chunk; chunk = await nextChunk(chunks)) {
    await writeChunk(exchange, chunk)
    await answer.giveWay(chunk.length)
  }
}

async function nextChunk(chunks: Chunks): Promise<Buffer | undefined> {
  const next = await chunks.next()
  return next.done ? undefined : next.value.chunk
}

/** Writes a chunk; resolves when the next one is wanted. Throws when the client has gone or takes nothing for too long. */
export async function writeChunk(
  { response, context, signal }: Exchange,
  chunk: Buffer,
): Promise<void> {
  signal.throwIfAborted()
  if (response.write(chunk)) return
  await waitForDrain(response, { signal, timeoutMs: context.config.timeouts.stallMs })
  signal.throwIfAborted()
}

function logBreak({ context, requestId, signal }: Exchange, error: unknown): void {
  if (signal.aborted) return
  const reason = toAppError(error)?.reason
  const { message } = error as Error
  context.log.warn({ requestId, reason, message }, 'a streamed answer broke off')
}
