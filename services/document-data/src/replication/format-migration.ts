import { appendFormat } from '@sheaf/document-log/heads'
import type { LogTablesDb } from '@sheaf/document-log/schema'
import { storePosition, storeTerm } from '../store/log/publish-state'
import { readLastPosition } from '../store/log/record-writer'
import { openWriter } from '../store/sqlite/connections'
import { formatOf, migrate } from '../store/sqlite/migrations/index'
import { encodeRecord } from './record-body'

/** A document whose file is to have another format, and the term of its opening. */
interface MigratedDocument {
  readonly docId: string
  readonly path: string
  readonly term: number
  /** The format, newer than that of the file. */
  readonly format: number
}

/**
 * Migrates the file of a document, which has its latest record and is not in use, by a record of its log: redo migrates at the
 * same position. Resolves to the position of the record. Resolves to undefined, and changes nothing, when the document was
 * opened again meanwhile; the same holds when this rejects, unless the record has been appended, which redo then applies.
 */
export async function migrateByRecord(
  tables: LogTablesDb,
  { docId, path, term, format }: MigratedDocument,
): Promise<number | undefined> {
  const connection = openWriter(path)
  const { db } = connection
  try {
    db.pragma('synchronous = NORMAL')
    db.exec('BEGIN IMMEDIATE')
    const last = readLastPosition(connection)
    const record = { lsn: last.lsn + 1, time: Math.max(Date.now(), last.time), format }
    migrate(db, { takesPosition: false, upTo: format })
    storePosition(connection, record)
    storeTerm(connection, term)
    const appended = { lsn: record.lsn, body: encodeRecord(record), format: formatOf(db) }
    if (!(await appendFormat(tables, { doc: docId, term }, appended))) return undefined
    db.exec('COMMIT')
    return record.lsn
  } finally {
    // Closing rolls back what was not committed.
    connection.close()
  }
}
