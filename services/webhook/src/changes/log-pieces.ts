import { AppError, toAppError } from '@sheaf/kit/errors'
import {
  ReadChangesRequest,
  type ReadChangesResponse,
} from '@sheaf/protos/sheaf/document_data/v1/changes'
import type { ChangeEvent, Operation } from '@sheaf/protos/sheaf/events/v1/changes'
import type { DocumentCalls } from '../document-calls'

/** Some consecutive entries of a log, of bounded size. */
export interface LogPiece {
  readonly entries: readonly ChangeEvent[]
  /** True when the next piece begins with more of the last entry. */
  readonly isPartial: boolean
  /** Seq of the latest entry of the log, as far as was known when this was read. */
  readonly latestSeq: number
}

/** What of a log to read. */
export interface LogRange {
  readonly docId: string
  readonly afterSeq: number
  /** Tables whose changes are wanted, by ref; the rows of others do not come. */
  readonly tableRefs: readonly number[]
  /** False when only the entries themselves matter; true unless given. */
  readonly fullRows?: boolean
  /** At most so many entries. */
  readonly limit?: number
  /** Told the epoch of the document, also when there is no entry. */
  readonly onEpoch?: (epoch: string) => void
  readonly signal?: AbortSignal
}

/** Entries and bytes of their values that are held at once. */
const PIECE = { entries: 200, bytes: 4 * 1024 * 1024 }
/** How long the next response may take. */
const RESPONSE_MS = 60_000
/** A call ends after this, however it gets on; as long as responses come a large log, or entry, has its time. */
const CALL_MS = 3_600_000
/** No table has this ref. */
const NO_TABLE = -1

/**
 * Entries of a document's log with whole rows, in pieces, up to where document-data stops: it may hold more. Nothing at
 * all when there are none. Throws what calls to document-data throw.
 */
export async function* readLog(
  calls: Pick<DocumentCalls, 'run'>,
  { docId, afterSeq, tableRefs, fullRows = true, limit = 0, onEpoch, signal }: LogRange,
): AsyncGenerator<LogPiece> {
  const patience = new Patience()
  // The home is found by a call that ends; the stream goes on after it.
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

/** Ends a call whose next response does not come. */
class Patience {
  private readonly stop = new AbortController()
  readonly signal = this.stop.signal

  /** Waits for a response. Throws `timeout` after too long. */
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

/** The responses of a stream whose first was taken already. */
async function* resume({ first, next, stream }: Begun): AsyncGenerator<ReadChangesResponse> {
  try {
    for (let result = first; result.done !== true; result = await next()) yield result.value
  } finally {
    await stream.return?.()
  }
}

/** Responses put together: parts of an entry belong together, as far as they are not too large. */
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
  // A stream that ends within an entry has broken, and then it threw.
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

/** Where the log begins, if the error says that it does not reach back so far; NaN when it says no more than that. */
export function oldestSeqOf(error: unknown): number | undefined {
  const known = toAppError(error)
  if (known?.reason !== 'CHANGES_CUT') return undefined
  return Number(known.metadata.oldestSeq ?? NaN)
}
