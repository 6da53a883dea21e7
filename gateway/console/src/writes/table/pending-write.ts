import { createIdempotencyKey } from '@sheaf/client'
import type { EnteredRow, ExpectedChange, StoredRows } from './cells-api'
import { rebase, takeCells } from './entered-rows'
import type { WriteEntry } from './table-entry'
import { isUnknownName } from './write-errors'

/** Entered values that are sent together, and how far that has come. */
export interface PendingWrite {
  readonly id: number
  readonly enteredAt: number
  rows: EnteredRow[]
  /** The idempotency key of what is sent. */
  key: string
  /** What is sent, the same each time with the same key, so that it takes effect once. */
  records: readonly ExpectedChange[] | undefined
  rounds: number
  /** Number of answers that the change failed in passing. */
  failures: number
  hasWaited: boolean
  /** The number of the earlier page in which it was entered, without knowledge of others; undefined for this page. */
  readonly leftBy: number | undefined
  /** True until its table and columns are looked up: others may have their names by now. */
  isUnchecked: boolean
  readonly resolve: (seq: number | undefined) => void
  readonly reject: (error: unknown) => void
}

/** What is known of a write when it is made. */
export type WriteState = Pick<PendingWrite, 'failures' | 'hasWaited' | 'isUnchecked'>

/** Returns a write of this page. */
export const newWrite = (
  parts: Pick<PendingWrite, 'id' | 'rows' | 'resolve' | 'reject'> & WriteState,
): PendingWrite => ({
  ...parts,
  enteredAt: Date.now(),
  key: createIdempotencyKey(),
  records: undefined,
  rounds: 0,
  leftBy: undefined,
})

/** Gives a write other rows, which are sent as another request. */
export function replaceRows(write: PendingWrite, rows: EnteredRow[]): void {
  write.rows = rows
  renew(write)
}

/** Makes the next attempt of a write another request. */
export function renew(write: PendingWrite): void {
  write.key = createIdempotencyKey()
  write.records = undefined
}

/** True if an error says nothing of a write any more: all of it was discarded, or its table was renamed, while it was sent. */
export const isObsolete = (write: PendingWrite, sentKey: string, error: unknown): boolean =>
  write.rows.length === 0 || (sentKey !== write.key && isUnknownName(error))

/** Returns what another page needs to go on with a write. */
export const toEntry = ({ id, enteredAt, rows, key, leftBy }: PendingWrite): WriteEntry => ({
  id: `w${id}`,
  enteredAt,
  rows,
  key,
  leftBy,
})

/**
 * Returns a write of an earlier page. Its key may be forgotten on the server, and the cells may have changed since. So a cell
 * of which it is not known what it was before is expected to have the entered value already: any other one is for the user to decide.
 */
export function restoreWrite(
  id: number,
  { enteredAt, rows, key }: WriteEntry,
  leftBy: number,
): PendingWrite {
  const isKnown = rows.every(({ fields, before }) => Object.keys(fields).every((c) => c in before))
  return {
    id,
    enteredAt,
    rows: isKnown ? [...rows] : rows.map((r) => ({ ...r, before: { ...r.fields, ...r.before } })),
    key: isKnown ? key : createIdempotencyKey(),
    records: undefined,
    rounds: 0,
    failures: 0,
    hasWaited: true,
    leftBy,
    isUnchecked: true,
    resolve: () => {},
    reject: () => {},
  }
}

/** True if the values of a write were known when those of a later one were entered: by the same page, or by this one. */
const isKnownTo = (write: PendingWrite, later: PendingWrite): boolean =>
  later !== write && (later.leftBy === undefined || later.leftBy === write.leftBy)

/** Makes later writes of cells, which are meant to replace what a write has stored, expect that. */
export function rebaseLater(
  queue: readonly PendingWrite[],
  write: PendingWrite,
  { sent, read }: { readonly sent: readonly EnteredRow[]; readonly read: StoredRows | undefined },
): void {
  const stored = new Map(read?.rows.map((row) => [row.id, row.fields]))
  for (const later of queue) {
    if (!isKnownTo(write, later)) continue
    const rows = later.rows.map((row) => {
      const own = sent.find(({ id }) => id === row.id)
      return own ? rebase(row, { ...own.fields, ...stored.get(row.id) }, own.fields) : row
    })
    if (rows.some((row, at) => row !== later.rows[at])) replaceRows(later, rows)
  }
}

/** Takes the cells of a row out of the writes that are meant to replace one. Returns the row with the values that were entered last. */
export function takeLater(
  queue: readonly PendingWrite[],
  write: PendingWrite,
  row: EnteredRow,
): EnteredRow {
  let { fields } = row
  for (const later of queue) {
    if (!isKnownTo(write, later)) continue
    const isIt = ({ id }: EnteredRow, colId: string) => id === row.id && colId in fields
    const { taken, kept } = takeCells(later.rows, isIt)
    if (taken.length > 0) replaceRows(later, kept)
    for (const one of taken) fields = { ...fields, ...one.fields }
  }
  return { ...row, fields }
}
