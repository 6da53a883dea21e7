import { SheafError } from '@sheaf/client'
import { queryOptions } from '@tanstack/react-query'
import { docOf } from '../api/sheaf'
import { historyKey } from '../history/history-queries'

/** Returns the newest change before a position, or the latest one of the document; null if there is none. */
async function fetchChange(docId: string, before?: number, signal?: AbortSignal) {
  const { value } = await docOf(docId).history({ limit: 1, before, signal }).next()
  return value ?? null
}

/** A change of a document; null if the log does not have it. */
export const changeQuery = (docId: string, seq: number) =>
  queryOptions({
    queryKey: [...historyKey(docId), 'change', seq],
    queryFn: async ({ signal }) => {
      const change = await fetchChange(docId, seq + 1, signal)
      return change?.seq === seq ? change : null
    },
    staleTime: Infinity,
  })

/** The seq of the oldest and of the latest moment of a document. */
export const momentsQuery = (docId: string) =>
  queryOptions({
    queryKey: [...historyKey(docId), 'moments'],
    queryFn: async ({ signal }) => {
      const [first, latest] = await Promise.all([
        fetchChange(docId, 2, signal),
        fetchChange(docId, undefined, signal),
      ])
      const oldest = first?.seq ?? (await fetchOldestSeq(docId))
      return { oldest, latest: latest?.seq ?? oldest }
    },
  })

/** Returns the oldest moment of a log that has lost its first change, which only an error names. */
async function fetchOldestSeq(docId: string): Promise<number> {
  try {
    await docOf(docId).tables({ asOf: 1 })
    return 1
  } catch (error) {
    return oldestSeqOf(error) ?? 1
  }
}

/** Returns the oldest moment that an error names; undefined if the error is another one. */
export function oldestSeqOf(error: unknown): number | undefined {
  if (!(error instanceof SheafError) || error.reason !== 'MOMENT_NOT_FOUND') return undefined
  return Number(error.details.oldestSeq) || undefined
}
