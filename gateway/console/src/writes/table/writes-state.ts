import type { CellOfRow } from './entered-rows'

/** What has become of an entered value: it is being sent, it will be sent again, or the user has to decide. */
export type CellState = 'sending' | 'waiting' | 'disputed'

/** An entered value that is not stored. */
export interface UnsavedCell extends CellOfRow {
  readonly place: string
  readonly mine: unknown
}

/** An entered value that was not stored, and that the user has to decide about. */
export interface Dispute extends UnsavedCell {
  readonly id: number
  /** The stored value, which somebody else has entered. */
  readonly theirs: unknown
  /** Why the server did not store the value; undefined if somebody else has changed the cell. */
  readonly error?: unknown
}

/** State of the writes of a table. */
export interface WritesState {
  /** Number of entered values that are not stored, disputed ones aside. */
  readonly unsaved: number
  /** Number of those that wait for the server to answer. */
  readonly waiting: number
  readonly disputes: readonly Dispute[]
}
