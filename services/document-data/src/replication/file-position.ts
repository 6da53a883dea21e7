import { storeTerm } from '../store/log/publish-state'
import { readLastPosition } from '../store/log/record-writer'
import { openReader, openWriter, type Connection } from '../store/sqlite/connections'
import { formatOf, migrate, requireDocumentFile } from '../store/sqlite/migrations/index'

/** The last record that a file has. */
export interface FilePosition {
  readonly lsn: number
  /**
   * Term of the opening that stored it; 0 for a record of an instance without replication, and FIRST_TERM for what a
   * document began with when it was stored outside of the file.
   */
  readonly term: number
}

/** The file that another instance has of a document, as it was when it last used the document. */
export interface FoundCopy {
  /** Its last record. */
  readonly position: FilePosition
  /** Writes it to a new path; throws when it does not arrive whole. */
  save(path: string): Promise<void>
}

/** Where a document can be had from when the store does not have it. */
export interface CopySource {
  /** Yields the files that others have of a document; each is to be used before the next one is asked for. */
  find(docId: string): AsyncIterable<FoundCopy>
}

/** Migrates a document file that is not open to this format. Positions in the log remain as they are. */
export function migrateFile(path: string, upTo: number): void {
  const connection = openWriter(path)
  try {
    requireDocumentFile(connection.db)
    migrate(connection.db, { takesPosition: false, upTo })
  } finally {
    connection.close()
  }
}

/** Stores the term of the last record of a document file that is not open; on disk when this returns. */
export function storeFileTerm(path: string, term: number): void {
  const connection = openWriter(path)
  try {
    storeTerm(connection, term)
  } finally {
    connection.close()
  }
}

/** Reads the last record of a document file that no other process writes. Throws what SQLite throws. */
export function readFilePosition(path: string): FilePosition {
  const connection = openReader(path)
  try {
    return positionOf(connection)
  } finally {
    connection.close()
  }
}

/**
 * Whether all of a deleted document is in its log, which ends at this position: false when there is no log (0), or the file has
 * later records, since the log is an older one that was restored.
 */
export function isInLog(path: string, lsn: number): boolean {
  if (lsn === 0) return false
  try {
    return readFilePosition(path).lsn <= lsn
  } catch {
    // Without a file that can be read, the log has all that there is.
    return true
  }
}

/** Whether a file was written under this term or a later one; false for one that is missing or cannot be read. */
export function isWrittenSince(path: string, term: number): boolean {
  try {
    return readFilePosition(path).term >= term
  } catch {
    return false
  }
}

/** Reads the format of a document file. Throws what SQLite throws. */
export function readFileFormat(path: string): number {
  const connection = openReader(path)
  try {
    return formatOf(connection.db)
  } finally {
    connection.close()
  }
}

/** The last record of an open file. */
export function positionOf(connection: Connection): FilePosition {
  const term = connection.pluck<number>('SELECT term FROM _sheaf_state WHERE id = 1').get() ?? 0
  return { lsn: readLastPosition(connection).lsn, term }
}
