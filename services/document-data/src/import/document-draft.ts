import { randomUUID } from 'node:crypto'
import Database from 'better-sqlite3'
import { Connection } from '../store/connections'
import { DocumentWriter } from '../store/document'
import { appendEntry, type Author, type LogEntry } from '../store/log'
import { migrate } from '../store/migrations/index'
import { readSchema } from '../store/schema'
import type { DocumentSettings } from '../values/column-type'

const CACHE_KIB = 65_536

/**
 * The file of a document that nobody knows yet, open for being filled. All of it is one transaction without a journal,
 * since a draft that is not finished is thrown away.
 */
export class DocumentDraft implements Disposable {
  readonly writer: DocumentWriter

  private constructor(private readonly connection: Connection) {
    this.writer = new DocumentWriter('', connection, readSchema(connection), 0)
  }

  /** Makes the file, with no table in it. */
  static create(path: string, settings: DocumentSettings): DocumentDraft {
    const db = new Database(path)
    try {
      db.pragma('journal_mode = OFF')
      db.pragma('synchronous = OFF')
      db.pragma('temp_store = MEMORY')
      db.pragma(`cache_size = -${CACHE_KIB}`)
      migrate(db)
      db.exec('BEGIN')
      db.prepare(
        'INSERT INTO _grist_DocInfo (id, timezone, documentSettings) VALUES (1, ?, ?)',
      ).run(settings.timezone, JSON.stringify({ locale: settings.locale }))
      return new DocumentDraft(new Connection(db))
    } catch (error) {
      db.close()
      throw error
    }
  }

  /** Ends the file with the one log entry that stands for all of it, which is to be published. */
  finish(author: Author): LogEntry {
    const { connection } = this
    connection.prepare('INSERT INTO _sheaf_state VALUES (1, ?, 0, 1)').run(randomUUID())
    const { entry } = appendEntry(connection, 1, author, [])
    connection.db.exec('COMMIT')
    connection.db.pragma('journal_mode = WAL')
    return entry
  }

  [Symbol.dispose](): void {
    this.connection.close()
  }
}
