import { DocumentWriter } from '../document'
import { storeEntry, type LogEntry } from '../log/log'
import { storeMarks } from '../log/publish-state'
import type { LogRecord } from '../log/record-writer'
import { storeReply } from '../log/replies'
import { readSchema } from '../schema/schema'
import type { Connection } from '../sqlite/connections'
import type { ContentSource } from './redo-attachments'
import { redoEntry } from './redo-entry'
import { RedoError } from './redo-error'

/**
 * Applies a record of the log to a document that is in the state before it, in one transaction: what its write
 * changed, its entry in the log, its reply, its publish marks. With the first record of a document that was created
 * empty, the document is an empty migrated file. What is known of formulas is forgotten, so that they are computed
 * again when the document is used. Throws RedoError when the document is in another state.
 */
export function redoRecord(to: Connection, record: LogRecord, contents: ContentSource): void {
  const { entry, reply, marks } = record
  to.db.transaction(() => {
    if (entry) addEntry(to, entry, record.lsn, contents)
    if (reply) storeReply(to, reply, record)
    if (marks) storeMarks(to, marks, record)
  })()
  to.forget()
}

function addEntry(to: Connection, entry: LogEntry, lsn: number, contents: ContentSource): void {
  const { seq, operations } = entry
  if (!operations) throw new RedoError(`the operations of entry ${seq} are missing`)
  redoEntry(new DocumentWriter('', to, readSchema(to), seq - 1), operations, contents)
  storeEntry(to, { ...entry, operations }, { lsn, json: JSON.stringify(operations) })
  // Relations are learned as formulas run; those of the base may lack some by now. Its due cells may be computed by now.
  to.db.exec(`
    DELETE FROM _sheaf_formulas; DELETE FROM _sheaf_lookup_uses;
    DELETE FROM _sheaf_due_cells; DELETE FROM _sheaf_due_writes`)
}
