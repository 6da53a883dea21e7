import { applyDueChange, type DueChange, type FiredBy } from '../store/log/due-changes'
import type { Connection } from '../store/sqlite/connections'
import type { StopReason } from '../values/error-cells'
import { BEFORE_ALL_ROWS } from '../store/sqlite/pending-rows'
import type { Relations } from './dependencies/relations'

const nothing: FiredBy = { seq: 0, fires: 'none' }

/** What is stored of formula columns beside their cells: progress, limits exceeded, relations. */
export class FormulaStates {
  private changed = false

  /** @param note called with each change that the record of the transaction has to hold */
  constructor(
    private readonly connection: Connection,
    private readonly note: (change: DueChange) => void = () => {},
  ) {}

  /** True when something was stored since the last call that the schema contains. */
  takeChanged(): boolean {
    const { changed } = this
    this.changed = false
    return changed
  }

  /** Forgets everything that is known of these columns, whose formulas are new or have changed. */
  renew(columnRefs: Iterable<number>): void {
    const refs = JSON.stringify([...columnRefs])
    for (const table of ['_sheaf_formulas', '_sheaf_lookup_uses'])
      this.connection
        .prepare(`DELETE FROM ${table} WHERE column_ref IN (SELECT value FROM json_each(?))`)
        .run(refs)
    this.connection
      .prepare(
        `INSERT INTO _sheaf_formulas (column_ref) SELECT id FROM _grist_Tables_column
         WHERE isFormula AND formula <> '' AND id IN (SELECT value FROM json_each(?))`,
      )
      .run(refs)
    this.changed = true
  }

  /** Forgets the columns that are gone, or are no formula columns any more. */
  tidy(): void {
    const gone = `column_ref NOT IN (SELECT id FROM _grist_Tables_column WHERE formula <> '' AND (isFormula OR stopped IS NOT NULL))`
    const { changes } = this.connection.prepare(`DELETE FROM _sheaf_formulas WHERE ${gone}`).run()
    this.connection
      .prepare(
        'DELETE FROM _sheaf_lookup_uses WHERE column_ref NOT IN (SELECT column_ref FROM _sheaf_formulas)',
      )
      .run()
    if (changes > 0) this.changed = true
  }

  /** Cells of rows with a greater id are to be computed; undefined when all are computed. */
  setPending(columnRef: number, after: number | undefined): void {
    this.set(columnRef, 'pending_after', after ?? null)
    if (after === undefined) this.setFiredBy(columnRef, nothing)
  }

  /** Remembers why a column is pending. */
  setFiredBy(columnRef: number, { seq, fires }: FiredBy): void {
    const change = { kind: 'fired_by', columnRef, seq, fires } as const
    if (applyDueChange(this.connection, change)) this.note(change)
  }

  /** Why a column is pending. */
  readFiredBy(columnRef: number): FiredBy {
    const sql =
      'SELECT pending_by AS seq, pending_fires AS fires FROM _sheaf_formulas WHERE column_ref = ?'
    return this.connection.prepare<FiredBy>(sql).get(columnRef) ?? nothing
  }

  /** The formula exceeded a limit; undefined to let it run again. */
  setStopped(columnRef: number, reason: StopReason | undefined): void {
    this.set(columnRef, 'stopped', reason ?? null)
  }

  /** Whether the formula depends on the time, and when its column was computed because of that. */
  setVolatile(columnRef: number, isVolatile: boolean): void {
    this.set(columnRef, 'volatile', isVolatile ? 1 : 0)
    this.set(columnRef, 'refreshed_at', Date.now())
  }

  /** Stores what a formula depends on. */
  setRelations(columnRef: number, relations: Relations): void {
    this.know(columnRef)
    this.connection
      .prepare('UPDATE _sheaf_formulas SET relations = ? WHERE column_ref = ?')
      .run(JSON.stringify(relations), columnRef)
  }

  /** Replaces the keys that cells of a column look up; `keys` are in the order of the rows. */
  setUses(
    columnRef: number,
    lookup: number,
    rowIds: readonly number[],
    keys: readonly (readonly string[])[],
  ): void {
    const before = new Set(
      this.connection
        .pluck<string>(
          `SELECT row || ' ' || key FROM _sheaf_lookup_uses
           WHERE column_ref = ? AND lookup = ? AND row IN (SELECT value FROM json_each(?))`,
        )
        .all(columnRef, lookup, JSON.stringify(rowIds)),
    )
    const insert = this.connection.prepare(
      'INSERT OR IGNORE INTO _sheaf_lookup_uses (column_ref, lookup, key, row) VALUES (?, ?, ?, ?)',
    )
    rowIds.forEach((row, index) => {
      for (const key of keys[index] ?? [])
        if (!before.delete(`${row} ${key}`)) insert.run(columnRef, lookup, key, row)
    })
    const remove = this.connection.prepare(
      'DELETE FROM _sheaf_lookup_uses WHERE column_ref = ? AND lookup = ? AND key = ? AND row = ?',
    )
    for (const use of before) {
      const space = use.indexOf(' ')
      remove.run(columnRef, lookup, use.slice(space + 1), Number(use.slice(0, space)))
    }
  }

  private set(
    columnRef: number,
    field: 'pending_after' | 'stopped' | 'volatile' | 'refreshed_at',
    value: string | number | null,
  ): void {
    this.know(columnRef)
    const { changes } = this.connection
      .prepare(`UPDATE _sheaf_formulas SET ${field} = ? WHERE column_ref = ? AND ${field} IS NOT ?`)
      .run(value, columnRef, value)
    if (changes > 0) this.changed = true
  }

  /** A column of which nothing was known has never been computed: that it is pending must remain known. */
  private know(columnRef: number): void {
    const { changes } = this.connection
      .prepare('INSERT OR IGNORE INTO _sheaf_formulas (column_ref, pending_after) VALUES (?, ?)')
      .run(columnRef, BEFORE_ALL_ROWS)
    if (changes > 0) this.changed = true
  }
}
