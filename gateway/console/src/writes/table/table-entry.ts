import type { EnteredRow } from './cells-api'
import type { Dispute } from './writes-state'

interface EntryParts {
  /** Unique among the entries of its table in this page. */
  readonly id: string
}

/** Entered values that are sent together. */
export interface WriteEntry extends EntryParts {
  /** When the values were entered, in milliseconds. */
  readonly enteredAt: number
  readonly rows: readonly EnteredRow[]
  /** The idempotency key with which they are sent. */
  readonly key: string
  /** A number for each of the earlier pages in which the values were entered; undefined for the page that has stored them. */
  readonly leftBy?: number | undefined
}

/** An entered value that the user has to decide about. */
interface DisputeEntry extends EntryParts {
  readonly dispute: Dispute
}

/** What a page has to remember of values of a table that are not stored. */
export type TableEntry = WriteEntry | DisputeEntry

/** True for entries with the same contents. Rows and disputes are replaced when they change. */
export function isSameEntry(one: TableEntry, other: TableEntry): boolean {
  if ('dispute' in one) return 'dispute' in other && one.dispute === other.dispute
  return 'rows' in other && one.rows === other.rows && one.key === other.key
}

/** Returns the number of cells of an entry. */
export function countCells(entry: TableEntry): number {
  if ('dispute' in entry) return 1
  return entry.rows.reduce((sum, { fields }) => sum + Object.keys(fields).length, 0)
}
