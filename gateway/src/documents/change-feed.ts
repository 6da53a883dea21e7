import { AppError, toAppError } from '@sheaf/kit/errors'
import { roleAtLeast } from '@sheaf/auth/roles'
import type {
  ReadChangesRequest,
  ReadChangesResponse,
} from '@sheaf/protos/sheaf/document_data/v1/changes'
import { ResultFormat } from '@sheaf/protos/sheaf/document_data/v1/sql'
import type { DocumentSession } from '../routing/document-session'
import type { Exchange } from '../http/exchange'
import type { RowFormat } from '../http/content-negotiation'
import { ChangeWriter } from './change-json'
import type { DocumentState } from './conditional-requests'
import { sendChunks } from './record-stream'

/** Suffix of the ETag of responses without old values, so that it does not match the one that editors get. */
const REDACTED_SUFFIX = '-new'
/** Small changes are sent in one chunk. */
const PIECE_BYTES = 64 * 1024

/** The syntax in which changes are written, one after another. */
interface FeedFormat {
  readonly before: string
  readonly between: string
  /** Writes the end, for a feed with or without changes. */
  readonly end: (latest: number, hadAny: boolean) => string
  readonly form: RowFormat
}

const jsonFeed: FeedFormat = {
  before: '{"changes":[',
  between: ',',
  end: (latest) => `],"latest":${latest}}`,
  form: {
    format: ResultFormat.JSON,
    mediaType: 'application/json; charset=utf-8',
    tagSuffix: '',
  },
}

const lineFeed: FeedFormat = {
  before: '',
  between: '\n',
  end: (_, hadAny) => (hadAny ? '\n' : ''),
  form: { format: ResultFormat.NDJSON, mediaType: 'application/x-ndjson', tagSuffix: '-ndjson' },
}

/** The requested part of the log. */
export type ChangesQuery = Pick<ReadChangesRequest, 'afterSeq' | 'limit'>

/** Builds the request for changes of a document; the first response carries the document's state. */
export function changesRequest(
  { docId }: DocumentSession,
  { afterSeq, limit }: ChangesQuery,
  waitMs = 0,
): ReadChangesRequest {
  return { docId, afterSeq, limit, fullRows: false, tableRefs: [], waitMs, tellState: true }
}

/**
 * Sends changes as fast as the client reads them. Throws AppError `conflict` when the log no longer reaches
 * back that far, `invalid` when the log is shorter than that.
 */
export function sendChanges(
  exchange: Exchange,
  document: DocumentSession,
  query: ChangesQuery,
  as: 'json' | 'lines',
): Promise<void> {
  const feed = as === 'json' ? jsonFeed : lineFeed
  return sendChunks(
    exchange,
    document,
    (home, call) => {
      const responses = home.changes.readChanges(changesRequest(document, query), call)
      // The role of this call, which may differ from an earlier one.
      return writeFeed(responses, feed, query, redactionOf(document))
    },
    { form: feed.form },
  )
}

/** Returns what the ETag of changes has after that of the document, by the role of the caller. */
export function redactionOf({ role }: DocumentSession): string {
  return roleAtLeast(role, 'editors') ? '' : REDACTED_SUFFIX
}

async function* writeFeed(
  responses: AsyncIterable<ReadChangesResponse>,
  { before, between, end }: FeedFormat,
  query: ChangesQuery,
  suffix: string,
): AsyncGenerator<{ chunk: Buffer } & DocumentState> {
  const writer = new ChangeWriter()
  let state: { etag?: string } = {}
  let latest = 0
  let pending: Buffer[] = [Buffer.from(before)]
  let size = 0
  let isFirst = true
  try {
    for await (const response of responses) {
      latest = response.latestSeq
      if (!response.change) {
        requireReached(query.afterSeq, latest)
        state = { etag: response.etag + suffix }
        continue
      }
      if (!isFirst && !writer.isMidway) pending.push(Buffer.from(between))
      isFirst = false
      const { text } = writer.write(response)
      pending.push(text)
      size += text.length
      if (size < PIECE_BYTES) continue
      yield { chunk: Buffer.concat(pending), ...state }
      state = {}
      pending = []
      size = 0
    }
  } catch (error) {
    throw toClientError(error)
  }
  yield { chunk: Buffer.concat([...pending, Buffer.from(end(latest, !isFirst))]), ...state }
}

/** Throws AppError `invalid` for a position beyond the end of the log. */
export function requireReached(since: number, latest: number): void {
  if (since > latest)
    throw new AppError(
      'invalid',
      'INVALID_PARAMETER',
      `since must not be greater than the latest change, ${latest}: ${since}`,
      { parameter: 'since', latest: String(latest) },
    )
}

/** Truncated changes are no failed precondition of the client's, so the status must not be 412. */
export function toClientError(error: unknown): unknown {
  const known = toAppError(error)
  if (known?.reason !== 'CHANGES_CUT') return error
  return new AppError('conflict', 'CHANGES_CUT', known.message, known.metadata)
}
