import { findContent } from '../attachments/file-contents'
import { readLatestPosition, readLatestSeq } from '../log/log'
import { readRecords } from '../log/read-records'
import { readReplyPosition } from '../log/replies'
import type { Connection } from '../sqlite/connections'
import { Redo } from './redo'
import type { ContentSource } from './redo-attachments'
import { RedoError } from './redo-error'

/**
 * Applies the records of the log of one file to another file that holds the document as of an earlier record, or is an
 * empty migrated one, when the document was created empty; contents of attachments come from the first file. Each
 * record is a transaction. Returns the number of entries. Throws RedoError, and LogDamaged.
 */
export function replayLog(from: Connection, to: Connection): number {
  const contents = contentsOf(from)
  const redo = new Redo(to, { keepsDue: false })
  const seq = readLatestSeq(to)
  const lsn = Math.max(readLatestPosition(to).lsn, readReplyPosition(to).lsn)
  let last = seq
  for (const record of readRecords(from, { seq, lsn })) {
    const { entry } = record
    if (entry && entry.seq !== ++last) throw new RedoError(`entry ${last} is not in the log`)
    if (entry?.seq === 1 && entry.operations?.length === 0)
      throw new RedoError('the document was not created empty: its initial content is a base')
    redo.apply(record, contents)
  }
  return last - seq
}

/** The contents of attachments in a file. */
export function contentsOf(connection: Connection): ContentSource {
  return ({ hash }) => {
    const fileId = findContent(connection, hash)
    if (fileId === undefined) return undefined
    return connection
      .pluck<Buffer>('SELECT bytes FROM _sheaf_file_chunks WHERE file_id = ? ORDER BY position')
      .iterate(fileId)
  }
}
