import type { GetOriginsResponse } from '@sheaf/protos/sheaf/document_data/v1/history'

/** A state of a document: an epoch, and a position in its log. */
export interface State {
  readonly epoch: string
  readonly seq: number
}

/** Which of two documents have changed since the latest state that both have in common. */
export type HistorySummary = 'same' | 'left' | 'right' | 'both' | 'unrelated'

/** What two documents have in common. */
export interface SharedHistory {
  readonly summary: HistorySummary
  /** The latest state that both had; undefined for unrelated documents. */
  readonly parent?: State
  /** Position of that state in the log of each document; undefined where the log begins later. */
  readonly leftSeq?: number
  readonly rightSeq?: number
}

/** Finds what two documents have in common: one is a copy of the other, or both are copies of a third. */
export function findSharedHistory(
  left: GetOriginsResponse,
  right: GetOriginsResponse,
): SharedHistory {
  const [leftStates, rightStates] = [statesOf(left), statesOf(right)]
  const leftIndex = leftStates.findIndex(({ epoch }) => indexOf(rightStates, epoch) >= 0)
  const ofLeft = leftStates[leftIndex]
  if (!ofLeft) return { summary: 'unrelated' }
  const { epoch } = ofLeft
  const rightIndex = indexOf(rightStates, epoch)
  const parent = { epoch, seq: Math.min(ofLeft.seq, rightStates[rightIndex]?.seq ?? 0) }
  const leftSeq = positionIn(left, leftIndex, parent.seq)
  const rightSeq = positionIn(right, rightIndex, parent.seq)
  const summary = summarize(leftSeq !== left.seq, rightSeq !== right.seq)
  return { summary, parent, leftSeq, rightSeq }
}

/** The present state of a document, and the states of other logs that it comes from, from the latest to the oldest. */
function statesOf({ epoch, seq, origins }: GetOriginsResponse): State[] {
  return [{ epoch, seq }, ...origins]
}

const indexOf = (states: readonly State[], wanted: string) =>
  states.findIndex(({ epoch }) => epoch === wanted)

/**
 * The position in the log of a document that has the state at a position of one of the logs it comes from. A copy has only the
 * state at which it was made in common with the other log, a restored document all earlier ones too.
 * @param index how many origins lie between the two logs
 */
function positionIn(
  { origins }: GetOriginsResponse,
  index: number,
  seq: number,
): number | undefined {
  let position = seq
  for (const origin of origins.slice(0, index).reverse()) {
    if (position === origin.seq) position = origin.at
    else if (origin.at !== origin.seq) return undefined
  }
  return position
}

function summarize(isLeftChanged: boolean, isRightChanged: boolean): HistorySummary {
  if (isLeftChanged) return isRightChanged ? 'both' : 'left'
  return isRightChanged ? 'right' : 'same'
}
