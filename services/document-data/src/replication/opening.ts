import type { OpenedHead } from '@sheaf/document-log/heads'
import { AppError } from '@sheaf/kit/errors'
import type { UpdatedCopy } from './document-copies'

/** A document that this instance has opened. */
export interface Opening {
  readonly docId: string
  /** Number of the assignment to this instance under which it was opened, and the period of its lease. */
  readonly assignment: number
  readonly period: number
  term: number
  /** True while the document is on the disk of this instance alone: then it has no log, and the fields about it are empty. */
  readonly isLocal: boolean
  /** Position of the latest record. */
  lsn: number
  /** Format of the file. */
  readonly format: number
  /** Term that the file holds. */
  fileTerm: number
  /** True when an append may have succeeded without this instance knowing it. */
  isDoubtful: boolean
  /** True when the document was handed over: what is read of it may be old. */
  isOver: boolean
  /** True while the latest snapshot is known to be damaged, so that all of it has to be stored again. */
  isSnapshotDamaged: boolean
  /** Number of calls since they were last counted. */
  calls: number
  /** `performance.now()` when it was opened. */
  readonly openedAt: number
  /** What the log has after the latest snapshot. */
  readonly tail: { records: number; bytes: number }
  /** `performance.now()` of the latest snapshot; 0 for none. */
  snapshotAt: number
  /** `performance.now()` of the latest removal of what earlier snapshots needed; 0 for none. */
  sweptAt: number
}

/** Under what an instance opens a document. */
export type OpenedUnder = Pick<Opening, 'docId' | 'assignment' | 'period'>

/** The opening of a document whose file is up to date. */
export function beginOpening(
  under: OpenedUnder,
  { term, lsn, local, format, snapshot }: OpenedHead,
  { term: fileTerm, isSnapshotDamaged }: UpdatedCopy,
): Opening {
  return {
    ...under,
    term,
    lsn,
    format,
    isLocal: local,
    fileTerm,
    isDoubtful: false,
    isOver: false,
    calls: 0,
    isSnapshotDamaged,
    tail: { records: lsn - (snapshot?.lsn ?? 0), bytes: 0 },
    openedAt: performance.now(),
    snapshotAt: 0,
    sweptAt: 0,
  }
}

/** The refusal of a call that had no effect, since the document is not, or no longer, in use on this instance. */
export function documentMoved(): AppError {
  return new AppError(
    'unavailable',
    'DOCUMENT_MOVED',
    'the document was opened elsewhere, retry later',
    {
      retryAfterMs: '1000',
    },
  )
}

/** Number of calls for each open document that can be handed over, since this was last asked. */
export function takeCalls(openings: ReadonlyMap<string, Opening>): Map<string, number> {
  const calls = new Map<string, number>()
  for (const [docId, opening] of openings) {
    if (!opening.isLocal) calls.set(docId, opening.calls)
    opening.calls = 0
  }
  return calls
}
