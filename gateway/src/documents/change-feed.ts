import { AppError, toAppError } from '@sheaf/kit/errors'
import { roleAtLeast } from '@sheaf/auth/roles'
import type {
  ReadChangesRequest,
  ReadChangesResponse,
} from '@sheaf/protos/sheaf/document_data/v1/changes'
import { ResultFormat } from '@sheaf/protos/sheaf/document_data/v1/sql'
import type { DocumentSession } from '../routing/document-session'
import type { Exchange } from '../http/exchange'
import type { ResultForm } from '../http/content-negotiation'
import { ChangeWriter } from './change-json'
import type { DocumentState } from './conditional-requests'
import { sendChunks } from './record-stream'

/** Ends the tag of what is told without old values, so that it is not taken for what an editor is told. */
const POORER_SUFFIX = '-new'
/** Small changes are sent together. */
const PIECE_BYTES = 64 * 1024

/** How changes are written, one after the other. */
interface FeedForm {
  readonly before: string
  readonly between: string
  /** What ends it, when it had any changes or none. */
  readonly end: (latest: number, hadAny: boolean) => string
  readonly form: ResultForm
}

const jsonFeed: FeedForm = {
  before: '{"changes":[',
  between: ',',
  end: (latest) => `],"latest":${latest}}`,
  form: {
    format: ResultFormat.JSON,
    mediaType: 'application/json; charset=utf-8',
    tagSuffix: '',
  },
}

const lineFeed: FeedForm = {
  before: '',
  between: '\n',
  end: (_, hadAny) => (hadAny ? '\n' : ''),
  form: { format: ResultFormat.NDJSON, mediaType: 'application/x-ndjson', tagSuffix: '-ndjson' },
}

/** What of the log is asked for. */
export type ChangesQuery = Pick<ReadChangesRequest, 'afterSeq' | 'limit'>

/** The request for changes of a document, whose first response tells its state. */
export function changesRequest(
  { docId }: DocumentSession,
  { afterSeq, limit }: ChangesQuery,
  waitMs = 0,
): ReadChangesRequest {
  return { docId, afterSeq, limit, fullRows: false, tableRefs: [], waitMs, tellState: true }
}

/**
 * Answers with changes, as fast as the client takes them. Throws AppError `conflict` when the log does not reach back so
 * far, `invalid` when it is not as long as that.
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
      // The role that this very call is made with: it may be another one than a moment ago.
      const suffix = roleAtLeast(document.role, 'editors') ? '' : POORER_SUFFIX
      return writeFeed(responses, feed, query, suffix)
    },
    { form: feed.form },
  )
}

async function* writeFeed(
  responses: AsyncIterable<ReadChangesResponse>,
  { before, between, end }: FeedForm,
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
    throw toldToClients(error)
  }
  yield { chunk: Buffer.concat([...pending, Buffer.from(end(latest, !isFirst))]), ...state }
}

/** Throws AppError `invalid` for a position that the log has never had. */
export function requireReached(since: number, latest: number): void {
  if (since > latest)
    throw new AppError(
      'invalid',
      'INVALID_PARAMETER',
      `since must not be greater than the latest change, ${latest}: ${since}`,
      { parameter: 'since', latest: String(latest) },
    )
}

/** That changes are gone is no condition of the client's, which is what 412 would say. */
export function toldToClients(error: unknown): unknown {
  const told = toAppError(error)
  if (told?.reason !== 'CHANGES_CUT') return error
  return new AppError('conflict', 'CHANGES_CUT', told.message, told.metadata)
}
