import type {
  ReadRecordsRequest,
  ReadRecordsResponse,
} from '@sheaf/protos/sheaf/document_data/v1/records'
import type { RecordsReply } from '../store/documents/record-reads'
import { tagOf } from './document-options'
import { completeDocument, type RecordsDocument, type RecordsPage } from './records-page'

/** Maximum size of one message, well below gRPC's usual limit of 4 MiB; a long row makes a long chunk. */
const MAX_CHUNK_BYTES = 1024 * 1024
const NOTHING = Buffer.alloc(0)

/** The parts of a chunk, none longer than one message. */
function partsOf(chunk: Buffer): Buffer[] {
  if (chunk.length <= MAX_CHUNK_BYTES) return chunk.length > 0 ? [chunk] : []
  const count = Math.ceil(chunk.length / MAX_CHUNK_BYTES)
  const partAt = (_: unknown, i: number) =>
    chunk.subarray(i * MAX_CHUNK_BYTES, (i + 1) * MAX_CHUNK_BYTES)
  return Array.from({ length: count }, partAt)
}

/** The tag of a document at a moment. */
type Tagged = Parameters<typeof tagOf>[0]

/** The response to a client that has the state already. */
export function notModified(current: Tagged): ReadRecordsResponse {
  return { chunk: NOTHING, seq: current.seq, etag: tagOf(current), notModified: true }
}

/**
 * The messages of a response. Only the first one carries the log position of the snapshot; it is sent even if there are no
 * bytes.
 */
export async function* replyMessages(
  reply: RecordsReply,
  request: ReadRecordsRequest,
  { page, current }: { readonly page: RecordsPage | undefined; readonly current: Tagged },
): AsyncGenerator<ReadRecordsResponse, void> {
  try {
    const hasExtras = page !== undefined || request.view?.count === true
    const document: RecordsDocument = hasExtras
      ? await completeDocument(reply, request, page)
      : reply
    const { seq } = reply
    const { nextCursor, totalCount } = document
    if (totalCount !== undefined) reply.onCounted?.(totalCount)
    const etag = tagOf({ ...current, seq })
    const state = { seq, etag, nextCursor, totalCount }
    let isFirst = true
    for await (const chunk of document.chunks)
      for (const part of partsOf(chunk)) {
        yield { chunk: part, ...(isFirst ? state : { seq: 0 }) }
        isFirst = false
      }
    if (isFirst) yield { chunk: NOTHING, ...state }
  } finally {
    reply.release?.()
  }
}
