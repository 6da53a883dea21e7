import Database, { type Statement } from 'better-sqlite3'
import { sqlFunctions } from '../../query/sql-functions'

/** Statements kept ready on one connection; a statement is some 5 KB. */
const STATEMENTS = 200

/** One connection to a document file, with its prepared statements. Used by one piece of synchronous code at a time. */
export class Connection {
  private readonly statements = new Map<string, Statement<unknown[]>>()

  constructor(readonly db: Database.Database) {}

  /** A statement whose rows are objects. */
  prepare(sql: string): Statement<unknown[]> {
    return this.statement('o', sql)
  }

  /** A statement whose rows are their first column. */
  pluck(sql: string): Statement<unknown[]> {
    return this.statement('p', sql)
  }

  /** A statement whose rows are lists. */
  raw(sql: string): Statement<unknown[]> {
    return this.statement('r', sql)
  }

  /** Drops all statements: their SQL names columns, so after a change of the schema most would never be used again. */
  forget(): void {
    this.statements.clear()
  }

  /** Closes the connection; statements and transactions end with it. */
  close(): void {
    this.statements.clear()
    this.db.close()
  }

  private statement(mode: 'o' | 'p' | 'r', sql: string): Statement<unknown[]> {
    const key = mode + sql
    const ready = this.statements.get(key)
    if (ready) return ready
    const statement = this.db.prepare<unknown[]>(sql)
    if (mode === 'p') statement.pluck()
    if (mode === 'r') statement.raw()
    const oldest = this.statements.keys().next()
    if (this.statements.size >= STATEMENTS && !oldest.done) this.statements.delete(oldest.value)
    this.statements.set(key, statement)
    return statement
  }
}

/** Pages of the write-ahead log at which a write also brings it into the file. */
const CHECKPOINT_PAGES = 4000
/** Size in bytes to which the write-ahead log shrinks when it begins anew. */
const LOG_BYTES = 32 * 1024 * 1024

/** Opens the connection that writes a document. Never makes a file. */
export function openWriter(path: string): Connection {
  const connection = open(path, false)
  connection.db.pragma('synchronous = FULL')
  // Larger than SQLite's own 1,000 pages: a checkpoint stops the write that causes it for some milliseconds.
  connection.db.pragma(`wal_autocheckpoint = ${CHECKPOINT_PAGES}`)
  // The write-ahead log shrinks again after a large write.
  connection.db.pragma(`journal_size_limit = ${LOG_BYTES}`)
  return connection
}

/** Opens a connection that can only read. */
export function openReader(path: string): Connection {
  return open(path, true)
}

function open(path: string, readonly: boolean): Connection {
  const db = new Database(path, { fileMustExist: true, readonly, timeout: 1000 })
  try {
    db.pragma('foreign_keys = OFF')
    db.pragma('trusted_schema = OFF')
    db.pragma('cell_size_check = ON')
    db.pragma('temp_store = MEMORY')
    for (const [name, run] of Object.entries(sqlFunctions))
      db.function(name, { deterministic: true, directOnly: true }, run)
    return new Connection(db)
  } catch (error) {
    db.close()
    throw error
  }
}
