import { BEFORE_ALL_ROWS } from '../sqlite/pending-rows'
import type { Connection } from '../sqlite/connections'
import type { Author } from './log'

/** Who made a write whose trigger formulas are late. */
export type DueAuthor = Pick<Author, 'userId' | 'person'>

/** The write after which a formula column became pending, and which trigger formulas its results run. */
export interface FiredBy {
  readonly seq: number
  readonly fires: 'all' | 'none' | 'others'
}

/**
 * A change of what trigger formulas still have to compute, or of what their cells will be due by. It belongs to the record of its transaction in the log
 * database, so that another instance computes them; entries do not have it.
 */
export type DueChange =
  | {
      readonly kind: 'add'
      readonly columnRef: number
      readonly rowIds: readonly number[]
      /** The write that ran the formula; 0 when none did. */
      readonly seq: number
    }
  | {
      readonly kind: 'remove'
      readonly columnRef: number
      readonly rowIds: readonly number[] | 'all'
    }
  | { readonly kind: 'author'; readonly seq: number; readonly author: DueAuthor }
  | (FiredBy & { readonly kind: 'fired_by'; readonly columnRef: number })

/** Applies a change to a document, within the transaction of the caller. Returns true if it changed something. */
export function applyDueChange(connection: Connection, change: DueChange): boolean {
  switch (change.kind) {
    case 'add':
      return addCells(connection, change)
    case 'remove':
      return removeCells(connection, change)
    case 'author':
      return (
        connection
          .prepare('INSERT OR IGNORE INTO _sheaf_due_writes (seq, author) VALUES (?, ?)')
          .run(change.seq, JSON.stringify(change.author)).changes > 0
      )
    case 'fired_by':
      return setFiredBy(connection, change)
  }
}

/** Forgets the authors of whose writes nothing is due any more. */
export function forgetDueAuthors(connection: Connection): void {
  connection
    .prepare(
      `DELETE FROM _sheaf_due_writes WHERE
         NOT EXISTS (SELECT 1 FROM _sheaf_due_cells d WHERE d.seq = _sheaf_due_writes.seq)
         AND seq NOT IN (SELECT pending_by FROM _sheaf_formulas WHERE pending_after IS NOT NULL)`,
    )
    .run()
}

function addCells(
  connection: Connection,
  { columnRef, rowIds, seq }: DueChange & { kind: 'add' },
): boolean {
  const { changes } = connection
    .prepare(
      `INSERT INTO _sheaf_due_cells (column_ref, row, seq) SELECT ?, value, ? FROM json_each(?) WHERE true
       ON CONFLICT (column_ref, row) DO UPDATE SET seq = excluded.seq`,
    )
    .run(columnRef, seq, JSON.stringify(rowIds))
  return changes > 0
}

function removeCells(
  connection: Connection,
  { columnRef, rowIds }: DueChange & { kind: 'remove' },
): boolean {
  const ofColumn = 'DELETE FROM _sheaf_due_cells WHERE column_ref = ?'
  const { changes } =
    rowIds === 'all'
      ? connection.prepare(ofColumn).run(columnRef)
      : connection
          .prepare(`${ofColumn} AND row IN (SELECT value FROM json_each(?))`)
          .run(columnRef, JSON.stringify(rowIds))
  return changes > 0
}

/** In a document that is made from its log, all cells of the column are pending. */
function setFiredBy(
  connection: Connection,
  { columnRef, seq, fires }: DueChange & { kind: 'fired_by' },
): boolean {
  const { changes } = connection
    .prepare(
      `INSERT INTO _sheaf_formulas (column_ref, pending_after, pending_by, pending_fires) VALUES (?, ?, ?, ?)
       ON CONFLICT (column_ref) DO UPDATE SET pending_by = excluded.pending_by, pending_fires = excluded.pending_fires
       WHERE pending_by <> excluded.pending_by OR pending_fires <> excluded.pending_fires`,
    )
    .run(columnRef, BEFORE_ALL_ROWS, seq, fires)
  return changes > 0
}
