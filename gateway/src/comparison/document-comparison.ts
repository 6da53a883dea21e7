import { AppError } from '@sheaf/kit/errors'
import type { GetOriginsResponse } from '@sheaf/protos/sheaf/document_data/v1/history'
import type { Moment } from '@sheaf/protos/sheaf/document_data/v1/options'
import type { DocumentSession } from '../routing/document-session'
import { findSharedHistory, type HistorySummary, type State } from './shared-history'
import { DeltaCollector, type DocumentDelta } from './table-deltas'

/** A state as clients receive it: `n` is its position in the log, `h` names it among those of all documents. */
interface NamedState {
  readonly n: number
  readonly h: string
}

/** The comparison of two documents, in the form of the Grist API. */
export interface DocumentComparison {
  readonly left: NamedState
  readonly right: NamedState
  /** The latest state that both had; null for unrelated documents. */
  readonly parent: NamedState | null
  readonly summary: HistorySummary
  readonly details?: { readonly leftChanges: DocumentDelta; readonly rightChanges: DocumentDelta }
}

/**
 * Compares the present states of two documents with the latest state that both had.
 * @param maxRows see `DeltaCollector`; undefined to leave out what has changed since
 */
export async function compareDocuments(
  left: DocumentSession,
  right: DocumentSession,
  maxRows: number | undefined,
): Promise<DocumentComparison> {
  const [ofLeft, ofRight] = await Promise.all([readOrigins(left), readOrigins(right)])
  const { summary, parent, leftSeq, rightSeq } = findSharedHistory(ofLeft, ofRight)
  const compared = {
    left: nameState(ofLeft),
    right: nameState(ofRight),
    parent: parent ? nameState(parent) : null,
    summary,
  }
  if (maxRows === undefined || !parent) return compared
  const [leftChanges, rightChanges] = [
    await readChanges(left, { from: leftSeq, to: ofLeft.seq, maxRows }),
    await readChanges(right, { from: rightSeq, to: ofRight.seq, maxRows }),
  ]
  return { ...compared, details: { leftChanges, rightChanges } }
}

const nameState = ({ epoch, seq }: State): NamedState => ({ n: seq, h: `${epoch}.${seq}` })

const seqMoment = (value: number): Moment => ({ moment: { $case: 'seq', value } })

function readOrigins(document: DocumentSession): Promise<GetOriginsResponse> {
  const { docId } = document
  return document.read((home, call) => home.history.getOrigins({ docId }, call))
}

/** Throws `invalid` when the log of the document begins after the state that both had. */
function readChanges(
  document: DocumentSession,
  { from, to, maxRows }: { from: number | undefined; to: number; maxRows: number },
): Promise<DocumentDelta> {
  const { docId } = document
  if (from === undefined)
    throw new AppError(
      'invalid',
      'MOMENT_NOT_FOUND',
      `the state that both documents had is older than document ${docId}: compare without detail`,
      { parameter: 'detail' },
    )
  const request = { docId, from: seqMoment(from), to: seqMoment(to), tableId: '' }
  return document.read(async (home, call) => {
    const collector = new DeltaCollector(maxRows)
    const all = { ...request, limit: 0, cursor: '' }
    for await (const { operations } of home.history.listDifferences(all, call))
      for (const operation of operations) collector.add(operation)
    return collector.delta
  })
}
