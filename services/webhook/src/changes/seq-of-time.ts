import { AppError } from '@sheaf/kit/errors'
import { readLatestSeq, type DocumentCalls } from '../document-calls'
import { oldestSeqOf, readLog } from './log-pieces'

interface Place {
  readonly docId: string
  readonly signal: AbortSignal
}

/**
 * Returns the seq after which a document's log holds the entries since a time. Throws `precondition`
 * (CHANGES_CUT) when entries since that time may have been truncated.
 */
export async function findSeqSince(
  calls: Pick<DocumentCalls, 'run'>,
  place: Place,
  sinceMs: number,
): Promise<number> {
  const isBefore = async (seq: number) =>
    ((await readTime(calls, place, seq)) ?? Infinity) < sinceMs
  let low = await findOldest(calls, place)
  if (low > 1 && !(await isBefore(low)))
    throw new AppError(
      'precondition',
      'CHANGES_CUT',
      'the change log does not reach back far enough',
    )
  let high = (await readLatestSeq(calls, place.docId)) + 1
  // Invariant: the first entry that is not before the time is at `low` or later, and at `high` or earlier.
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    if (await isBefore(middle)) low = middle + 1
    else high = middle
  }
  return low - 1
}

/** Returns the time of an entry; undefined when it does not exist yet. */
async function readTime(
  calls: Pick<DocumentCalls, 'run'>,
  { docId, signal }: Place,
  seq: number,
): Promise<number | undefined> {
  const range = { docId, afterSeq: seq - 1, tableRefs: [], fullRows: false, limit: 1, signal }
  for await (const { entries } of readLog(calls, range)) return entries[0]?.timeMs
  return undefined
}

async function findOldest(calls: Pick<DocumentCalls, 'run'>, place: Place): Promise<number> {
  try {
    await readTime(calls, place, 1)
    return 1
  } catch (error) {
    const oldest = oldestSeqOf(error)
    if (oldest === undefined || !(oldest > 0)) throw error
    return oldest
  }
}
