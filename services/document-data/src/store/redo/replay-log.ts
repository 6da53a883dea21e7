import { DocumentWriter } from '../document'
import { findContent } from '../attachments/file-contents'
import { readEntries, readLatestSeq } from '../log/log'
import { readSchema } from '../schema/schema'
import type { Connection } from '../sqlite/connections'
import type { ContentSource } from './redo-attachments'
import { redoEntry } from './redo-entry'
import { RedoError } from './redo-error'

/**
 * Applies the entries of the log of one file, after `after`, to another file that holds the document as of
 * that entry; contents of attachments come from the first file. Each entry is a transaction. With `after` 0,
 * the other file is an empty migrated one, and the document was created empty. Throws RedoError, and
 * LogDamaged.
 */
export function replayLog(from: Connection, to: Connection, after: number): void {
  const contents = contentsOf(from)
  const latest = readLatestSeq(from)
  for (let seq = after + 1; seq <= latest; seq++) {
    const range = { after: seq - 1, upTo: seq, maxBytes: Number.MAX_SAFE_INTEGER }
    const [entry] = readEntries(from, range)
    if (!entry?.operations) throw new RedoError(`entry ${seq} is not in the log`)
    const { operations } = entry
    if (seq === 1 && operations.length === 0)
      throw new RedoError('the document was not created empty: its initial content is a base')
    to.db.transaction(() => {
      redoEntry(new DocumentWriter('', to, readSchema(to), seq - 1), operations, contents)
    })()
    to.forget()
  }
}

/** The contents of attachments in a file. */
function contentsOf(connection: Connection): ContentSource {
  return ({ hash }) => {
    const fileId = findContent(connection, hash)
    if (fileId === undefined) return undefined
    return connection
      .pluck<Buffer>('SELECT bytes FROM _sheaf_file_chunks WHERE file_id = ? ORDER BY position')
      .iterate(fileId)
  }
}
