import Database from 'better-sqlite3'
import { Connection } from '../store/sqlite/connections'
import { DocumentWriter } from '../store/document'
import type { FirstEntry } from '../store/log/first-entries'
import type { Author } from '../store/log/log'
import { migrate, newestVersion } from '../store/sqlite/migrations/index'
import { beginLog } from '../store/log/publish-state'
import { readSchema } from '../store/schema/schema'
import { storeSettings } from '../store/schema/settings'
import type { DocumentSettings } from '../values/column-type'

const CACHE_KIB = 65_536

/**
 * The file of a document that does not exist yet, open for writing. Everything is one transaction without a
 * journal, since an unfinished draft is discarded.
 */
export class DocumentDraft implements Disposable {
  readonly writer: DocumentWriter

  private constructor(private readonly connection: Connection) {
    this.writer = new DocumentWriter('', connection, readSchema(connection), 0)
  }

  /** Creates the file, without tables. */
  static create(path: string, settings: DocumentSettings, format = newestVersion): DocumentDraft {
    const db = new Database(path)
    try {
      db.pragma('journal_mode = OFF')
      db.pragma('synchronous = OFF')
      db.pragma('temp_store = MEMORY')
      db.pragma(`cache_size = -${CACHE_KIB}`)
      migrate(db, { upTo: format })
      db.exec('BEGIN')
      const connection = new Connection(db)
      const { timezone, locale } = settings
      storeSettings(connection, { timezone, documentSettings: JSON.stringify({ locale }) })
      return new DocumentDraft(connection)
    } catch (error) {
      db.close()
      throw error
    }
  }

  /** Finishes the file with a single log entry that stands for all of its content, to be published. */
  finish(author: Author): FirstEntry {
    const { connection } = this
    const first = beginLog(connection, author, [])
    connection.db.exec('COMMIT')
    connection.db.pragma('journal_mode = WAL')
    return first
  }

  [Symbol.dispose](): void {
    this.connection.close()
  }
}
