import { DocumentWriter } from '../document'
import { findEntry, readLatestSeq } from '../log/log'
import { RedoError } from '../redo/redo-error'
import { stepsOf } from '../redo/redo-entry'
import { readSchema } from '../schema/schema'
import { openWriter, type Connection } from '../sqlite/connections'
import { undoStep } from './undo-step'

/** Entries undone in one transaction. */
const ENTRIES_AT_ONCE = 200

/** SQL: all cells count as computed, and nothing is due: the document only shows what it held. */
const SETTLE = `
  DELETE FROM _sheaf_replies; DELETE FROM _sheaf_due_cells; DELETE FROM _sheaf_due_writes;
  DELETE FROM _sheaf_lookup_uses; DELETE FROM _sheaf_formulas;
  INSERT INTO _sheaf_formulas (column_ref)
    SELECT id FROM _grist_Tables_column WHERE isFormula AND formula <> ''`

/**
 * Takes a copy of a document back to the moment after an entry of its log. Tables, columns, cells, attachments and log
 * are those of that moment; the contents of attachments that have been removed since are missing, and counters of ids
 * stay, so that no id is used twice. What formulas had not computed yet then is not known: their cells show what they
 * held. The file is not synced, and of no use after an error. Throws RedoError, and LogDamaged.
 */
export function takeBack(path: string, seq: number): void {
  const connection = openWriter(path)
  try {
    // Nobody reads the copy after a crash.
    connection.db.pragma('journal_mode = MEMORY')
    connection.db.pragma('synchronous = OFF')
    undoEntries(connection, seq)
    connection.db.exec(SETTLE)
    connection
      .prepare('UPDATE _sheaf_state SET published_seq = ?, batch_seq = ? WHERE id = 1')
      .run(seq, seq)
    connection.db.pragma('journal_mode = WAL')
  } finally {
    connection.close()
  }
}

/** Undoes the entries after this one, latest first. */
export function undoEntries(connection: Connection, seq: number): void {
  const doc = new DocumentWriter('', connection, readSchema(connection), seq)
  for (let next = readLatestSeq(connection); next > seq;) {
    const end = Math.max(seq, next - ENTRIES_AT_ONCE)
    connection.db.transaction(() => {
      for (; next > end; next--) undoEntry(doc, next)
      connection.prepare('DELETE FROM _sheaf_log WHERE seq > ?').run(end)
    })()
  }
}

function undoEntry(doc: DocumentWriter, seq: number): void {
  const { operations } = findEntry(doc.connection, seq, Number.MAX_SAFE_INTEGER) ?? {}
  if (!operations) throw new RedoError(`entry ${seq} is not in the log`)
  for (const step of stepsOf(operations).reverse()) undoStep(doc, step, false)
}
