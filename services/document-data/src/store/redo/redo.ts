import { DocumentWriter } from '../document'
import { applyDueChange } from '../log/due-changes'
import { storeEntry, type LogEntry, type Operation } from '../log/log'
import { storeMarks, storePosition } from '../log/publish-state'
import type { LogRecord } from '../log/record-writer'
import { storeReply } from '../log/replies'
import { readSchema, type Schema } from '../schema/schema'
import { migrate } from '../sqlite/migrations/index'
import { BEFORE_ALL_ROWS } from '../sqlite/pending-rows'
import type { Connection } from '../sqlite/connections'
import type { ContentSource } from './redo-attachments'
import { redoEntry } from './redo-entry'
import { RedoError } from './redo-error'

/** SQL: no formula has been computed, and no cell is due. */
const FORGET_ALL = `
  DELETE FROM _sheaf_formulas; DELETE FROM _sheaf_lookup_uses;
  DELETE FROM _sheaf_due_cells; DELETE FROM _sheaf_due_writes`

/** SQL: no formula has been computed; only that results of pending columns will run trigger formulas remains known. */
const FORGET_RELATIONS = `
  DELETE FROM _sheaf_lookup_uses;
  DELETE FROM _sheaf_formulas WHERE pending_fires = 'none' OR pending_after IS NULL;
  UPDATE _sheaf_formulas SET pending_after = ${BEFORE_ALL_ROWS}, stopped = NULL, volatile = 0, refreshed_at = 0,
    relations = '{"lookups":[],"reads":[]}'`

/** Applies records of the log to a document that is in the state before the first of them. */
export class Redo {
  /** What the document has after the last record; undefined when it has to be read. */
  private schema: Schema | undefined

  /**
   * @param options `keepsDue`: the document has the cells that trigger formulas still had to compute at its last record, and
   * the records have their changes. Without, there are none afterwards: they may be computed by now.
   */
  constructor(
    private readonly to: Connection,
    private readonly options: { readonly keepsDue: boolean },
  ) {}

  /**
   * Applies the next record in one transaction: what its write changed, its entry in the log, its reply, its publish
   * marks. With the first record of a document that was created empty, the document is an empty migrated file. What is
   * known of formulas is forgotten, so that they are computed again when the document is used. Throws RedoError when the
   * document is in another state; then nothing further can be applied.
   */
  apply(record: LogRecord, contents: ContentSource): void {
    const { to } = this
    const { entry, reply, marks, due = [] } = record
    to.db.transaction(() => {
      if (record.format !== undefined) this.migrate(record.format, record)
      if (entry) this.addEntry(entry, record.lsn, contents)
      if (reply) storeReply(to, reply, record)
      if (marks) storeMarks(to, marks, record)
      if (this.options.keepsDue) for (const change of due) applyDueChange(to, change)
    })()
  }

  /** Brings the document to the format that it has from this record on. */
  private migrate(format: number, { lsn, time, entry }: LogRecord): void {
    const { to } = this
    migrate(to.db, { takesPosition: false, upTo: format })
    to.forget()
    this.schema = undefined
    // A new document is created in that format.
    if (!entry) storePosition(to, { lsn, time })
  }

  private addEntry(entry: LogEntry, lsn: number, contents: ContentSource): void {
    const { to } = this
    const { seq, operations } = entry
    if (!operations) throw new RedoError(`the operations of entry ${seq} are missing`)
    const isKnown = this.schema !== undefined
    this.schema ??= readSchema(to)
    redoEntry(new DocumentWriter('', to, this.schema, seq - 1), operations, contents)
    storeEntry(to, { ...entry, operations }, { lsn, json: JSON.stringify(operations) })
    if (isKnown && operations.every(isOfRows)) return
    // Relations are learned as formulas run; those of the base may lack some by now.
    to.db.exec(this.options.keepsDue ? FORGET_RELATIONS : FORGET_ALL)
    to.forget()
    this.schema = readSchema(to)
  }
}

/** True for an operation after which the schema is the same. */
const isOfRows = (operation: Operation): boolean => 'rowIds' in operation
