import Database, { type Statement } from 'better-sqlite3'
import type { KeyValue } from '../../query/cursor'
import { orderKey } from '../../query/order-key'
import { sqlFunctions } from '../../query/sql-functions'

/** Prepared statements cached per connection; a statement takes about 5 KB. */
const STATEMENTS = 200

/**
 * Loads SQLite, so that a start that would fail at the first document fails at once. Throws an error with the
 * loader's reason, usually that the module was built for another version of Node.
 */
export function loadSqlite(): void {
  try {
    new Database(':memory:').close()
  } catch (error) {
    const reason = (error as Error).message.replace(/\s+/g, ' ')
    const hint = 'install the packages again with the Node that runs Sheaf'
    throw new Error(`SQLite cannot be loaded (${hint}): ${reason}`, { cause: error })
  }
}

/**
 * One connection to a document file, with its prepared statements. Used by one piece of synchronous code at a
 * time.
 */
export class Connection {
  private readonly statements = new Map<string, Statement>()

  constructor(readonly db: Database.Database) {}

  /** A statement whose rows are objects of this type. */
  prepare<T = unknown>(sql: string): Statement<unknown[], T> {
    return this.statement<T>('o', sql)
  }

  /** A statement whose rows are their first column, of this type. */
  pluck<T = unknown>(sql: string): Statement<unknown[], T> {
    return this.statement<T>('p', sql)
  }

  /** A statement whose rows are lists of this type. */
  raw<T = unknown>(sql: string): Statement<unknown[], T> {
    return this.statement<T>('r', sql)
  }

  /** Drops all statements: their SQL names columns, so most are useless after a change of the schema. */
  forget(): void {
    this.statements.clear()
  }

  /**
   * Brings what was written ahead into a file that is about to be moved. Closing does so too, but is silent when the disk is
   * full, and then the file alone is not a document.
   */
  complete(): void {
    this.db.pragma('wal_checkpoint(TRUNCATE)')
  }

  /** Closes the connection; statements and transactions end with it. */
  close(): void {
    this.statements.clear()
    this.db.close()
  }

  private statement<T>(mode: 'o' | 'p' | 'r', sql: string): Statement<unknown[], T> {
    const key = mode + sql
    const ready = this.statements.get(key)
    // The only cast of rows: the type of a row follows from the SQL, which the caller knows.
    if (ready) return ready as Statement<unknown[], T>
    const statement = this.db.prepare<unknown[], T>(sql)
    if (mode === 'p') statement.pluck()
    if (mode === 'r') statement.raw()
    const oldest = this.statements.keys().next()
    if (this.statements.size >= STATEMENTS && !oldest.done) this.statements.delete(oldest.value)
    this.statements.set(key, statement)
    return statement
  }
}

/** The row of a statement that always has one, such as an aggregate. Throws when there is none. */
export function requireRow<T>(row: T | undefined): T {
  if (row === undefined) throw new Error('a statement returned no row')
  return row
}

/** Pages of the write-ahead log at which a write also runs a checkpoint. */
const CHECKPOINT_PAGES = 4000
/** Size in bytes to which the write-ahead log is truncated when it is reset. */
const LOG_BYTES = 32 * 1024 * 1024

/**
 * Page cache of a long read, in KiB. better-sqlite3 compiles in 16,000, which each of them would fill and keep until
 * it ends. It passes over its pages once, so the smaller cache makes no measurable difference in time.
 */
const LONG_READ_CACHE_KIB = 2048
/** Page cache of an index build, in KiB, which is also what it sorts at once. More makes no measurable difference in time. */
const BUILD_CACHE_KIB = 4096

/** Opens the connection that writes a document. Never creates a file. */
export function openWriter(path: string): Connection {
  const connection = open(path, false)
  connection.db.pragma('synchronous = FULL')
  // Larger than SQLite's own 1,000 pages: a checkpoint stops the write that causes it for some milliseconds.
  connection.db.pragma(`wal_autocheckpoint = ${CHECKPOINT_PAGES}`)
  // The write-ahead log shrinks again after a large write.
  connection.db.pragma(`journal_size_limit = ${LOG_BYTES}`)
  return connection
}

/** Opens a connection that builds indexes. It sorts their keys in a temporary file: in memory they would take 60 MB for a million rows. */
export function openBuilder(path: string): Connection {
  const connection = openWriter(path)
  connection.db.pragma('temp_store = FILE')
  connection.db.pragma(`cache_size = -${BUILD_CACHE_KIB}`)
  return connection
}

/** Opens a connection that can only read. */
export function openReader(path: string): Connection {
  return open(path, true)
}

/** Opens a connection that can only read, with little memory: for reads that last, of which there may be many. */
export function openLongReader(path: string): Connection {
  const connection = open(path, true)
  connection.db.pragma(`cache_size = -${LONG_READ_CACHE_KIB}`)
  return connection
}

/** Opens a connection for a long read that groups rows by their values, which are kept in a temporary file: they can be as large as the document. */
export function openGroupingReader(path: string): Connection {
  const connection = openLongReader(path)
  connection.db.pragma('temp_store = FILE')
  return connection
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
    db.function(
      'sheaf_order_key',
      { deterministic: true, directOnly: true, varargs: true },
      (directions: string, ...values: KeyValue[]) => orderKey(directions, values),
    )
    return new Connection(db)
  } catch (error) {
    db.close()
    throw error
  }
}
