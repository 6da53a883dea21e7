/** A document that this instance has opened. */
export interface Opening {
  readonly docId: string
  /** Number of the assignment to this instance under which it was opened, and the period of its lease. */
  readonly assignment: number
  readonly period: number
  term: number
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

/** Number of calls for each open document since this was last asked. */
export function takeCalls(openings: ReadonlyMap<string, Opening>): Map<string, number> {
  const calls = new Map<string, number>()
  for (const [docId, opening] of openings) {
    calls.set(docId, opening.calls)
    opening.calls = 0
  }
  return calls
}
