import type { Connection } from '../sqlite/connections'
import { findEntry, readEntryPosition, readLatestSeq, type RecordPosition } from './log'
import type { LogRecord } from './record-writer'
import { readReplies } from './replies'

/**
 * The records of the log in the file of a document, after the entry `seq` and the position `lsn`, in order, as far as
 * the file keeps them: replies are removed after 24 hours, of publish marks only the latest are kept. Throws
 * LogDamaged.
 */
export function* readRecords(
  connection: Connection,
  { seq, lsn }: { readonly seq: number; readonly lsn: number },
): Generator<LogRecord> {
  const replies = readReplies(connection, lsn)
  let next = replies.next()
  const latest = readLatestSeq(connection)
  for (let at = seq + 1; at <= latest; at++) {
    const entry = findEntry(connection, at, Number.MAX_SAFE_INTEGER)
    if (!entry) continue
    const position: RecordPosition = { lsn: readEntryPosition(connection, at), time: entry.time }
    for (; !next.done && next.value.lsn < position.lsn; next = replies.next()) yield next.value
    if (next.done || next.value.lsn !== position.lsn) {
      yield { ...position, entry }
      continue
    }
    yield { ...next.value, entry }
    next = replies.next()
  }
  for (; !next.done; next = replies.next()) yield next.value
}
