import { AppError, toAppError } from '@sheaf/kit/errors'
import {
  ReadChangesRequest,
  type ReadChangesResponse,
} from '@sheaf/protos/sheaf/document_data/v1/changes'
import type { ChangeEvent, Operation } from '@sheaf/protos/sheaf/events/v1/changes'
import type { DocumentCalls } from '../document-calls'

/** Consecutive entries of a log, of bounded size. */
export interface LogPiece {
  readonly entries: readonly ChangeEvent[]
  /** True when the next piece continues the last entry. */
  readonly isPartial: boolean
  /** Seq of the latest entry of the log, as known when this piece was read. */
  readonly latestSeq: number
}

/** The part of a log to read. */
export interface LogRange {
  readonly docId: string
  readonly afterSeq: number
  /** Refs of the tables to include; rows of other tables are omitted. */
  readonly tableRefs: readonly number[]
  /** False when row values are not needed; true by default. */
  readonly fullRows?: boolean
  /** Maximum number of entries. */
  readonly limit?: number
  /** Called with the epoch of the document, even without entries. */
  readonly onEpoch?: (epoch: string) => void
  readonly signal?: AbortSignal
}

/** Entries, and bytes of their values, held in memory at once. */
const PIECE = { entries: 200, bytes: 4 * 1024 * 1024 }
/** Time limit of the next response. */
const RESPONSE_MS = 60_000
/** Time limit of a whole call; it must suffice for a large log, or entry, while responses arrive. */
const CALL_MS = 3_600_000
/** A ref that no table has. */
const NO_TABLE = -1

/**
 * Yields the entries of a document's log with whole rows, in pieces, up to where document-data stops: the log
 * may hold more. Yields nothing when there are none. Throws the errors of calls to document-data.
 */
export async function* readLog(
  calls: Pick<DocumentCalls, 'run'>,
  { docId, afterSeq, tableRefs, fullRows = true, limit = 0, onEpoch, signal }: LogRange,
): AsyncGenerator<LogPiece> {
  const patience = new ResponseTimeout()
  // Locating the home is part of a call that ends; the stream continues after it.
  const responses = await calls.run(docId, async ({ changes }, call) => {
    const refs = tableRefs.length > 0 ? [...tableRefs] : [NO_TABLE]
    const request = ReadChangesRequest.fromPartial({
      docId,
      afterSeq,
      limit,
      fullRows,
      tableRefs: refs,
      tellState: onEpoch !== undefined,
    })
    const either = signal ? AbortSignal.any([signal, patience.signal]) : patience.signal
    const deadline = Date.now() + CALL_MS
    const answers = changes.readChanges(request, { ...call, deadline, signal: either })
    const stream = answers[Symbol.asyncIterator]()
    const next = () => patience.wait(() => stream.next())
    return { first: await next(), next, stream }
  })
  if (!responses.first.done) onEpoch?.(responses.first.value.epoch ?? '')
  yield* inPieces(resume(responses))
}

/** Cancels a call whose next response is overdue. */
class ResponseTimeout {
  private readonly stop = new AbortController()
  readonly signal = this.stop.signal

  /** Waits for a response. Throws `timeout` when it is overdue. */
  async wait<T>(next: () => Promise<T>): Promise<T> {
    const end = () => this.stop.abort()
    const timer = setTimeout(end, RESPONSE_MS)
    try {
      return await next()
    } catch (error) {
      if (!this.signal.aborted) throw error
      throw new AppError('timeout', 'DEADLINE_EXCEEDED', 'timed out while reading the log')
    } finally {
      clearTimeout(timer)
    }
  }
}

interface Begun {
  readonly first: IteratorResult<ReadChangesResponse>
  readonly next: () => Promise<IteratorResult<ReadChangesResponse>>
  readonly stream: AsyncIterator<ReadChangesResponse>
}

/** The responses of a stream whose first one has been read already. */
async function* resume({ first, next, stream }: Begun): AsyncGenerator<ReadChangesResponse> {
  try {
    for (let result = first; result.done !== true; result = await next()) yield result.value
  } finally {
    await stream.return?.()
  }
}

/** Joins responses to pieces: parts of an entry stay together unless they are too large. */
async function* inPieces(responses: AsyncIterable<ReadChangesResponse>): AsyncGenerator<LogPiece> {
  let entries: ChangeEvent[] = []
  let bytes = 0
  let latestSeq = 0
  let isContinued = false
  for await (const { change, continued, latestSeq: latest } of responses) {
    latestSeq = Math.max(latestSeq, latest)
    if (!change) continue
    const open = entries.at(-1)
    if (isContinued && open?.seq === change.seq) open.operations.push(...change.operations)
    else entries.push(change)
    bytes += change.operations.reduce((sum, operation) => sum + sizeOf(operation), 0)
    isContinued = continued
    const isFull = bytes >= PIECE.bytes || (!continued && entries.length >= PIECE.entries)
    if (!isFull) continue
    yield { entries, isPartial: continued, latestSeq }
    entries = []
    bytes = 0
  }
  // A stream that ends within an entry has failed, and has thrown.
  if (entries.length > 0) yield { entries, isPartial: false, latestSeq }
}

function sizeOf({ operation }: Operation): number {
  if (!operation || operation.$case === 'schema') return 0
  const { rowIds, columns } = operation.value
  return columns.reduce(
    (sum, column) => sum + column.oldValuesJson.length + column.newValuesJson.length,
    rowIds.length * 8,
  )
}

/**
 * Returns the oldest seq of the log if the error reports it; NaN when the error reports only that the log was
 * truncated.
 */
export function oldestSeqOf(error: unknown): number | undefined {
  const known = toAppError(error)
  if (known?.reason !== 'CHANGES_CUT') return undefined
  return Number(known.metadata.oldestSeq ?? NaN)
}
