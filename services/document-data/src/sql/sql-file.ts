import { statSync } from 'node:fs'
import Database, { type Statement } from 'better-sqlite3'
import type { Row } from '../formats/row-writer'
import { findRefusal, type Openable, type ProgramStep } from './statement-check'
import type { SqlMoment } from './sql-messages'
import { bindArgs, StatementError, withoutSemicolon, wrap, type SqlArg } from './statement'

/** Tables of Sheaf and of SQLite, which nobody reads by SQL. */
const HIDDEN = /^(_sheaf_|sqlite_)/i
/** Virtual tables that only take their argument apart. */
const VIRTUAL = ['json_each', 'json_tree', 'jsonb_each', 'jsonb_tree']
/** The table of the schema itself. */
const SCHEMA_ROOT = 1

/** Statements that are kept ready, of which each is at most so long. */
const MAX_KEPT = 50
const MAX_KEPT_LENGTH = 10_000

/** What is run for every statement of a caller. */
type OwnStatements = Readonly<Record<'begin' | 'moment' | 'version' | 'end', Statement<unknown[]>>>

interface SchemaRow {
  readonly owner: string
  readonly root: number
  readonly readable: 0 | 1
}

/** A statement that was found harmless. */
export interface SqlRows {
  readonly columns: readonly string[]
  /** Finds the rows, while they are taken; integers are bigint when `exact`, else numbers. */
  readonly run: (exact: boolean) => Iterable<Row>
}

/** A document file, opened to run what callers wrote. It can only be read, and of it only what callers may see. */
export class SqlFile {
  private readonly inode: number
  private readonly own: OwnStatements
  /** Statements that were found harmless, for as long as the form of the document is the same. */
  private readonly found = new Map<string, Statement<unknown[]>>()
  private schemaVersion = -1
  private roots = new Set<number>()
  private virtual: Set<string> | undefined

  private constructor(
    readonly path: string,
    private readonly db: Database.Database,
  ) {
    this.inode = statSync(path).ino
    this.own = {
      begin: db.prepare('BEGIN'),
      moment: db.prepare(
        'SELECT (SELECT epoch FROM _sheaf_state) AS epoch, (SELECT max(seq) FROM _sheaf_log) AS seq',
      ),
      version: db.prepare('PRAGMA schema_version').pluck(),
      end: db.prepare('ROLLBACK'),
    }
  }

  /** Opens a file; it must be there. */
  static open(path: string): SqlFile {
    const db = new Database(path, { fileMustExist: true, readonly: true, timeout: 1000 })
    try {
      for (const setting of ['trusted_schema = OFF', 'cell_size_check = ON', 'query_only = ON'])
        db.pragma(setting)
      // A sort could else fill the disk.
      db.pragma('temp_store = MEMORY')
      return new SqlFile(path, db)
    } catch (error) {
      db.close()
      throw error
    }
  }

  /** False when the path leads to another file by now. */
  get isCurrent(): boolean {
    return statSync(this.path, { throwIfNoEntry: false })?.ino === this.inode
  }

  /** Begins to look at one moment of the document, until `end`. */
  begin(): SqlMoment {
    this.own.begin.run()
    const moment = this.own.moment.get() as SqlMoment
    this.noteSchema()
    return moment
  }

  /**
   * Looks at a statement, so that it can be run. Both must stand between `begin` and `end`: the form of the document is
   * then the same. Throws StatementError for what may not run, and what SQLite throws.
   */
  select(text: string, args: readonly SqlArg[]): SqlRows {
    if (text.includes('\0')) throw new StatementError('unrecognized token: NUL')
    const sql = withoutSemicolon(text)
    const known = this.found.get(sql)
    const statement = known ?? this.prepare(sql)
    const values = bindArgs(sql, args)
    // Which tables a statement reads does not depend on its arguments: one look is enough.
    if (!known) this.requireHarmless(sql, values)
    this.keep(sql, statement)
    const columns = statement.columns().map(({ name }) => name)
    const run = (exact: boolean) =>
      statement
        .safeIntegers(exact)
        .raw()
        .iterate(...values) as Iterable<Row>
    return { columns, run }
  }

  /** Ends the look at the document, so that it holds nothing up. */
  end(): void {
    if (this.db.inTransaction) this.own.end.run()
  }

  close(): void {
    this.db.close()
  }

  private prepare(sql: string): Statement<unknown[]> {
    try {
      const statement = this.db.prepare<unknown[]>(wrap(sql))
      // Alone it has to be a statement too: parentheses in it could close those around it.
      this.db.prepare(sql)
      return statement
    } catch (error) {
      const { message } = error as Error
      // What is wrong with a hidden table would tell what it is like.
      if (/_sheaf_|sqlite_/i.test(sql) && !/syntax|incomplete|token/.test(message))
        throw new StatementError('not authorized')
      throw error
    }
  }

  private explain(sql: string, values: readonly unknown[]): ProgramStep[] {
    const program = this.db.prepare<unknown[]>(`EXPLAIN ${sql}`)
    return program.raw().all(...values) as ProgramStep[]
  }

  private requireHarmless(sql: string, values: readonly unknown[]): void {
    const openable: Openable = {
      isReadable: (root) => this.roots.has(root),
      isReadableVirtual: (pointer) => (this.virtual ??= this.findVirtual()).has(pointer),
    }
    const refusal = findRefusal(this.explain(wrap(sql), values), openable)
    if (refusal !== undefined) throw new StatementError(refusal)
  }

  private keep(sql: string, statement: Statement<unknown[]>): void {
    this.found.delete(sql)
    if (sql.length <= MAX_KEPT_LENGTH) this.found.set(sql, statement)
    const oldest = this.found.keys().next()
    if (this.found.size > MAX_KEPT && !oldest.done) this.found.delete(oldest.value)
  }

  private noteSchema(): void {
    const version = this.own.version.get() as number
    if (version === this.schemaVersion) return
    this.found.clear()
    this.roots = this.findRoots()
    this.schemaVersion = version
  }

  /** Root pages of the tables that callers may read, and of their indexes. */
  private findRoots(): Set<number> {
    const rows = this.db
      .prepare(
        `SELECT tbl_name AS owner, rootpage AS root, type IN ('table', 'index') AND (
           substr(tbl_name, 1, 7) = '_grist_'
           OR tbl_name IN (SELECT tableId FROM _grist_Tables)
         ) AS readable FROM sqlite_schema WHERE rootpage > 0`,
      )
      .all() as SchemaRow[]
    const isHidden = ({ owner, readable }: SchemaRow) => !readable || HIDDEN.test(owner)
    // In a file that was tampered with, what is hidden could be there under a second name.
    const hidden = new Set(rows.filter(isHidden).map(({ root }) => root))
    const roots = rows.map(({ root }) => root)
    return new Set(roots.filter((root) => root !== SCHEMA_ROOT && !hidden.has(root)))
  }

  /** How EXPLAIN shows the virtual tables that may be read: they stay the same while the connection is open. */
  private findVirtual(): Set<string> {
    const found = new Set<string>()
    for (const name of VIRTUAL) {
      try {
        for (const [, step, , , , pointer] of this.explain(`SELECT 1 FROM ${name}('[]')`, []))
          if (step === 'VOpen' && pointer !== null) found.add(pointer)
      } catch {
        // This SQLite does not have it.
      }
    }
    return found
  }
}
