import type {
  ComparedMoment,
  ListDifferencesRequest,
  ListDifferencesResponse,
} from '@sheaf/protos/sheaf/document_data/v1/history'
import { ResultFormat } from '@sheaf/protos/sheaf/document_data/v1/sql'
import type { DocumentSession } from '../routing/document-session'
import type { Exchange } from '../http/exchange'
import type { RowFormat } from '../http/content-negotiation'
import { writeOperation } from '../documents/change-json'
import { sendChunks } from '../documents/record-stream'

/** Small differences are sent in one chunk. */
const PIECE_BYTES = 64 * 1024

/** The syntax in which differences are written, one after another. */
interface ComparisonFormat {
  /** Writes what precedes them, given the moments as JSON without the last brace. */
  readonly begin: (moments: string) => string
  /** What precedes each of them. */
  readonly before: (isFirst: boolean) => string
  readonly end: (nextCursor: string | undefined) => string
  readonly form: RowFormat
}

const page: ComparisonFormat = {
  begin: (moments) => `${moments},"operations":[`,
  before: (isFirst) => (isFirst ? '' : ','),
  end: (nextCursor) => `],"nextCursor":${JSON.stringify(nextCursor ?? null)}}`,
  form: {
    format: ResultFormat.JSON,
    mediaType: 'application/json; charset=utf-8',
    tagSuffix: '',
  },
}

const lines: ComparisonFormat = {
  begin: (moments) => `${moments}}`,
  before: () => '\n',
  end: () => '\n',
  form: { format: ResultFormat.NDJSON, mediaType: 'application/x-ndjson', tagSuffix: '-ndjson' },
}

/** Sends differences as fast as the client reads them: a page as JSON, or all of them as lines. */
export function sendDifferences(
  exchange: Exchange,
  document: DocumentSession,
  request: ListDifferencesRequest,
  as: 'page' | 'lines',
): Promise<void> {
  const format = as === 'page' ? page : lines
  return sendChunks(
    exchange,
    document,
    (home, call) => writeDifferences(home.history.listDifferences(request, call), format),
    { form: format.form },
  )
}

/** Writes differences, in pieces, as one page of JSON unless another format is given. */
export async function* writeDifferences(
  responses: AsyncIterable<ListDifferencesResponse>,
  { begin, before, end }: ComparisonFormat = page,
): AsyncGenerator<{ chunk: Buffer }> {
  let parts: Buffer[] = []
  let size = 0
  let isFirst = true
  let nextCursor: string | undefined
  for await (const { from, to, operations, nextCursor: next } of responses) {
    if (from && to) parts.push(Buffer.from(begin(momentsJson({ from, to }).slice(0, -1))))
    nextCursor = next
    const start = parts.length
    for (const operation of operations) {
      parts.push(Buffer.from(before(isFirst)))
      isFirst = false
      writeOperation(parts, operation, true)
    }
    for (const { length } of parts.slice(start)) size += length
    if (size < PIECE_BYTES) continue
    yield { chunk: Buffer.concat(parts) }
    parts = []
    size = 0
  }
  yield { chunk: Buffer.concat([...parts, Buffer.from(end(nextCursor))]) }
}

/** The moments of a comparison as a JSON object. */
function momentsJson({ from, to }: { from: ComparedMoment; to: ComparedMoment }): string {
  return JSON.stringify({ from: comparedMoment(from), to: comparedMoment(to) })
}

/** A moment of a comparison as clients receive it. */
export function comparedMoment({ seq, timeMs }: ComparedMoment): { seq: number; time: string } {
  return { seq, time: new Date(timeMs).toISOString() }
}
