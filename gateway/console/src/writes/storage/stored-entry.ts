import { SheafError } from '@sheaf/client'
import type { EnteredRow } from '../table/cells-api'
import type { TableEntry } from '../table/table-entry'
import type { Dispute } from '../table/writes-state'

/** A table with values that are not stored, as it is shown. */
export interface TableName {
  readonly docName: string
  readonly tableId: string
}

interface StoredError {
  readonly status: number
  readonly reason: string
  readonly message: string
}

/** An entry in the form in which the browser can store it. */
export interface StoredEntry extends TableName {
  readonly contents: TableEntry
  /** The error of a dispute. */
  readonly error?: StoredError
}

/** Returns an entry as it is stored: without the cells and refs of columns that were not changed. */
export function toStored(entry: TableEntry, { docName, tableId }: TableName): StoredEntry {
  if ('rows' in entry)
    return { docName, tableId, contents: { ...entry, rows: entry.rows.map(withOwnCells) } }
  const { error, ...dispute } = entry.dispute
  const contents = { ...entry, dispute }
  if (error === undefined) return { docName, tableId, contents }
  const { status = 0, reason = '', message = '' } = error as Partial<StoredError>
  return { docName, tableId, contents, error: { status, reason, message } }
}

function withOwnCells(row: EnteredRow): EnteredRow {
  const ownOf = <T>(cells: Readonly<Record<string, T>>): Record<string, T> =>
    Object.fromEntries(Object.entries(cells).filter(([colId]) => colId in row.fields))
  return {
    ...row,
    before: ownOf(row.before),
    ...(row.colRefs && { colRefs: ownOf(row.colRefs) }),
  }
}

/** Returns entries in the order in which they were entered. Disputes with the same error are decided together. */
export function fromStored(stored: readonly StoredEntry[]): TableEntry[] {
  const errors = new Map<string, SheafError>()
  const entries = stored.map(({ contents, error }): TableEntry => {
    if ('rows' in contents || !error) return contents
    const key = JSON.stringify(error)
    const known = errors.get(key) ?? new SheafError(error)
    errors.set(key, known)
    const dispute: Dispute = { ...contents.dispute, error: known }
    return { ...contents, dispute }
  })
  return entries.toSorted(compareEntries)
}

function compareEntries(one: TableEntry, other: TableEntry): number {
  const timeOf = (entry: TableEntry) => ('rows' in entry ? entry.enteredAt : 0)
  return timeOf(one) - timeOf(other) || one.id.localeCompare(other.id, 'en', { numeric: true })
}
