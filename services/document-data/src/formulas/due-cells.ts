import { applyDueChange, forgetDueAuthors, type DueChange } from '../store/log/due-changes'
import type { Author, RowOperation, SchemaOperation } from '../store/log/log'
import type { GroupEntry } from '../store/documents/derived-group'
import type { Schema } from '../store/schema/schema'
import { requireRow, type Connection } from '../store/sqlite/connections'
import type { ColumnMetadata } from '../store/schema/column-metadata'
import { changedRows } from './dependencies/fired-triggers'
import type { DueColumn } from './next-due'

/** Cells of trigger formulas that a document keeps until they are computed; further ones are missed. */
const MAX_DUE_CELLS = 1_000_000

/** The write that ran a trigger formula; `seq` is 0 when none did. */
export interface DueWrite {
  readonly seq: number
  readonly author: Partial<Author>
}

/** Changes of a trigger column after which its formula is another one. */
const FORMULA_FIELDS = ['formula', 'isFormula', 'recalcWhen', 'recalcDeps'] as const

/**
 * The cells of trigger formulas that could not be computed with their write, as they are stored in the document: they
 * are computed later, unless they are written before.
 */
export class DueCells {
  private changed = false

  /** @param note called with each change, which the record of the transaction has to hold */
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

  /** Keeps cells of a column, up to `MAX_DUE_CELLS` in the document; returns how many that are. */
  add(columnRef: number, rowIds: readonly number[], { seq, author }: DueWrite): number {
    if (rowIds.length === 0) return 0
    const kept = rowIds.slice(0, Math.max(0, MAX_DUE_CELLS - this.count()))
    if (kept.length === 0) return 0
    this.changed ||= !this.has(columnRef)
    this.apply({ kind: 'add', columnRef, rowIds: kept, seq })
    this.keepAuthor({ seq, author })
    return kept.length
  }

  /** Remembers who made a write. */
  keepAuthor({ seq, author: { userId, person } }: DueWrite): void {
    if (person === undefined) return
    forgetDueAuthors(this.connection)
    this.apply({ kind: 'author', seq, author: { userId: userId ?? 0, person } })
  }

  /** A write whose author was remembered; of any other one the author is not known. */
  readWrite(seq: number): DueWrite {
    const stored = this.connection
      .pluck<string>('SELECT author FROM _sheaf_due_writes WHERE seq = ?')
      .get(seq)
    return { seq, author: stored === undefined ? {} : (JSON.parse(stored) as Partial<Author>) }
  }

  /** Cells that need not be computed any more: of the rows, or of the whole column. */
  remove(columnRef: number, rowIds: readonly number[] | 'all'): void {
    if (!this.apply({ kind: 'remove', columnRef, rowIds })) return
    this.changed ||= !this.has(columnRef)
    forgetDueAuthors(this.connection)
  }

  /** The cells of a step are computed. The schema changes with each step: so its progress is seen. */
  finishStep(columns: readonly DueColumn[]): void {
    for (const { of, rowIds } of columns) this.remove(of.column.ref, rowIds)
    this.changed = true
  }

  /** Removes what writes make obsolete: cells that they have written, cells of removed rows, and of formulas that they change. */
  follow(entries: readonly GroupEntry[], schema: Schema): void {
    const due = schema.tables.flatMap(({ columns }) => columns.filter(({ hasDue }) => hasDue))
    if (due.length === 0) return
    const refs = new Set(due.map(({ ref }) => ref))
    for (const { operations, writings } of entries)
      for (const operation of operations)
        if (!('rowIds' in operation)) this.followColumn(operation, refs)
        else if (writings.get(operation)?.kind !== 'followed')
          this.followRows(operation, refs, schema)
  }

  /** Forgets cells of columns that are gone, or have no trigger formula any more. */
  tidy(): void {
    const { changes } = this.connection
      .prepare(
        `DELETE FROM _sheaf_due_cells WHERE column_ref NOT IN
         (SELECT id FROM _grist_Tables_column WHERE formula <> '' AND NOT isFormula AND recalcWhen <> 1)`,
      )
      .run()
    if (changes === 0) return
    this.changed = true
    forgetDueAuthors(this.connection)
  }

  private followColumn(operation: SchemaOperation, refs: ReadonlySet<number>): void {
    const after = (operation.new ?? {}) as Partial<ColumnMetadata>
    const isOther = FORMULA_FIELDS.some((field) => after[field] !== undefined)
    if (refs.has(operation.columnRef) && isOther && !operation.follows)
      this.remove(operation.columnRef, 'all')
  }

  private followRows(operation: RowOperation, refs: ReadonlySet<number>, schema: Schema): void {
    const { kind, tableRef, rowIds } = operation
    if (kind === 'remove_rows')
      for (const { ref } of schema.findByRef(tableRef)?.columns ?? [])
        if (refs.has(ref)) this.remove(ref, rowIds)
    if (kind !== 'update_rows') return
    // Cells that a new type has converted are still to be computed.
    for (const { ref, oldType } of operation.columns)
      if (refs.has(ref) && oldType === undefined) this.remove(ref, changedRows(operation, [ref]))
  }

  /** Returns true if the change changed something. */
  private apply(change: DueChange): boolean {
    const isChanged = applyDueChange(this.connection, change)
    if (isChanged) this.note(change)
    return isChanged
  }

  private count(): number {
    return requireRow(this.connection.pluck<number>('SELECT count(*) FROM _sheaf_due_cells').get())
  }

  private has(columnRef: number): boolean {
    const sql = 'SELECT EXISTS (SELECT 1 FROM _sheaf_due_cells WHERE column_ref = ?)'
    return this.connection.pluck(sql).get(columnRef) === 1
  }
}
