import { statSync } from 'node:fs'
import Database, { type Statement } from 'better-sqlite3'
import type { Row } from '../formats/row-writer'
import { quoteId } from '../quoting/quote'
import {
  pendingNames,
  toUnfinished,
  UNFINISHED_COLUMNS,
  type UnfinishedColumn,
  type UnfinishedRow,
} from '../store/schema/unfinished-columns'
import { columnSql } from '../values/error-cells'
import { CODED_COLUMNS, readableSql, type CodedColumn } from './readable-cells'
import { findRefusal, hasNoLoop, type Openable, type ProgramStep } from './statement-check'
import type { SqlMoment } from './sql-messages'
import {
  bindArgs,
  listParameters,
  StatementError,
  withoutSemicolon,
  wrap,
  type ParameterNames,
  type SqlArg,
} from './statement'

/** Internal tables of Sheaf and SQLite, which cannot be read by SQL. */
const HIDDEN = /^(_sheaf_|sqlite_)/i
/** Virtual tables that only parse their argument. */
const VIRTUAL = ['json_each', 'json_tree', 'jsonb_each', 'jsonb_tree']
/** The table of the schema itself. */
const SCHEMA_ROOT = 1

/** Prepared statements that are cached, and the maximum length of each. */
const MAX_KEPT = 50
const MAX_KEPT_LENGTH = 10_000

/** What a file is opened for: any statement, or only those without loops. */
type Purpose = 'any' | 'lookups'

/** Milliseconds to wait for locks, and the page cache in KiB. Lookups run where nothing may wait, and many files are open. */
const connections = {
  any: { timeout: 1_000, cacheKib: 2_000 },
  lookups: { timeout: 0, cacheKib: 256 },
} as const

/** SQL that runs around every statement of a caller. */
interface OwnStatements {
  readonly begin: Statement<[]>
  readonly moment: Statement<[], SqlMoment>
  readonly version: Statement<[], number>
  readonly unfinished: Statement<[], UnfinishedRow>
  readonly columns: Statement<[string], string>
  readonly coded: Statement<[], string>
  readonly end: Statement<[]>
}

interface SchemaRow {
  readonly owner: string
  readonly root: number
  readonly readable: 0 | 1
}

/** A prepared statement that passed the check, and what a run of it needs to know of it. */
interface CheckedStatement {
  readonly statement: Statement<unknown[], Row>
  readonly parameters: ParameterNames
  readonly columns: readonly string[]
}

/** A statement that passed the check. */
export interface SqlRows {
  readonly columns: readonly string[]
  /** Iterates over the rows; integers are bigint when `exact`, otherwise numbers. */
  readonly run: (exact: boolean) => Iterable<Row>
}

/**
 * A document file, opened read-only to run statements written by callers. Only the tables that callers may
 * see are readable.
 */
export class SqlFile {
  private readonly inode: number
  private readonly own: OwnStatements
  /** Statements that passed the check, valid until the schema of the document changes. */
  private readonly found = new Map<string, CheckedStatement>()
  private schemaVersion = -1
  private roots = new Set<number>()
  private virtual: Set<string> | undefined
  private isCovered = false
  /** The columns that the views outside of transactions show readably, also as text, and the schema's version for which. */
  private coded: readonly CodedColumn[] = []
  private codedText = ''
  private codedVersion = -1
  /** The latest moment of which it is known that these views are right. */
  private codedAt: SqlMoment | undefined

  private constructor(
    readonly path: string,
    private readonly db: Database.Database,
    private readonly purpose: Purpose,
  ) {
    this.inode = statSync(path).ino
    this.own = {
      begin: db.prepare('BEGIN'),
      moment: db.prepare<[], SqlMoment>(
        'SELECT (SELECT epoch FROM _sheaf_state) AS epoch, (SELECT max(seq) FROM _sheaf_log) AS seq',
      ),
      version: db.prepare<[], number>('PRAGMA schema_version').pluck(),
      unfinished: db.prepare<[], UnfinishedRow>(UNFINISHED_COLUMNS),
      columns: db
        .prepare<[string], string>("SELECT name FROM pragma_table_info(?, 'main')")
        .pluck(),
      coded: db.prepare<[], string>(CODED_COLUMNS).pluck(),
      end: db.prepare('ROLLBACK'),
    }
  }

  /** Opens an existing file, for any statement, or only for those without loops. */
  static open(path: string, purpose: Purpose = 'any'): SqlFile {
    const { timeout, cacheKib } = connections[purpose]
    const db = new Database(path, { fileMustExist: true, readonly: true, timeout })
    try {
      for (const setting of ['trusted_schema = OFF', 'cell_size_check = ON', 'query_only = ON'])
        db.pragma(setting)
      // Otherwise a sort could fill the disk.
      db.pragma('temp_store = MEMORY')
      db.pragma(`cache_size = -${cacheKib}`)
      return new SqlFile(path, db, purpose)
    } catch (error) {
      db.close()
      throw error
    }
  }

  /** False when the path now refers to another file. */
  get isCurrent(): boolean {
    return statSync(this.path, { throwIfNoEntry: false })?.ino === this.inode
  }

  /** Begins a read transaction, which lasts until `end`. */
  begin(): SqlMoment {
    this.own.begin.run()
    let moment = getOnly(this.own.moment)
    while (!this.isCodedCurrent(moment)) {
      // The views have to be made outside of the transaction, because its end would remove them.
      this.end()
      this.coverCoded()
      this.own.begin.run()
      moment = getOnly(this.own.moment)
    }
    this.noteSchema()
    const unfinished = this.own.unfinished.all().map(toUnfinished)
    if (unfinished.length === 0) return moment
    this.found.clear()
    this.isCovered = true
    for (const tableId of tablesOf(unfinished)) this.cover(tableId, unfinished)
    return { ...moment, pendingColumns: pendingNames(unfinished) }
  }

  /**
   * Prepares and checks a statement. Preparing and running must both happen between `begin` and `end`, so
   * that the schema is the same. Throws StatementError for a statement that is not permitted, or that has a loop in a file
   * for lookups, and what SQLite throws.
   */
  select(text: string, args: readonly SqlArg[]): SqlRows {
    if (text.includes('\0')) throw new StatementError('unrecognized token: NUL')
    const sql = withoutSemicolon(text)
    const known = this.found.get(sql)
    if (known) {
      const values = bindArgs(known.parameters, args)
      this.keep(sql, known)
      return toRows(known, values)
    }
    const statement = this.prepare(sql)
    const parameters = listParameters(sql)
    const values = bindArgs(parameters, args)
    // The tables that a statement reads do not depend on its arguments, so one check is enough.
    this.requireHarmless(sql, values)
    const columns = statement.columns().map(({ name }) => name)
    const checked = { statement: statement.raw(), parameters, columns }
    this.keep(sql, checked)
    return toRows(checked, values)
  }

  /** Ends the read transaction, so that it does not hold back checkpoints. */
  end(): void {
    if (this.db.inTransaction) this.own.end.run()
    // The rollback has removed the views, to which the statements were prepared.
    if (this.isCovered) this.found.clear()
    this.isCovered = false
  }

  /** Covers the tables that have columns with errors, lists, dates and the like by views in which these are readable. */
  private coverCoded(): void {
    this.found.clear()
    for (const tableId of tablesOf(this.coded)) this.define(dropView(tableId))
    const version = getOnly(this.own.version)
    this.codedText = getOnly(this.own.coded)
    this.coded = JSON.parse(this.codedText) as CodedColumn[]
    for (const tableId of tablesOf(this.coded)) this.cover(tableId, [])
    this.codedVersion = version
  }

  /** True when these views are those of the transaction, which sees this moment. */
  private isCodedCurrent({ epoch, seq }: SqlMoment): boolean {
    if (this.codedAt?.epoch === epoch && this.codedAt.seq === seq) return true
    const isCurrent =
      getOnly(this.own.version) === this.codedVersion && getOnly(this.own.coded) === this.codedText
    this.codedAt = isCurrent ? { epoch, seq } : undefined
    return isCurrent
  }

  /**
   * Covers a table by a view in which errors and coded values are readable, cells that are not computed are null, and those
   * of stopped formulas errors. The view leaves it to SQLite to use the indexes of the table.
   */
  private cover(tableId: string, unfinished: readonly UnfinishedColumn[]): void {
    const read = this.own.columns.all(tableId).map((name) => {
      const isThis = (column: CodedColumn | UnfinishedColumn) =>
        column.tableId === tableId && column.id === name
      const column = unfinished.find(isThis)
      const coded = this.coded.find(isThis)
      const cell = column ? columnSql(column) : quoteId(name)
      return `${coded ? readableSql(coded, cell) : cell} AS ${quoteId(name)}`
    })
    this.define(dropView(tableId))
    if (read.length > 0)
      this.define(
        `CREATE VIEW temp.${quoteId(tableId)} AS SELECT ${read.join()} FROM main.${quoteId(tableId)}`,
      )
  }

  /** Runs a statement that defines a view, which only this connection has. */
  private define(sql: string): void {
    this.db.pragma('query_only = OFF')
    try {
      this.db.exec(sql)
    } finally {
      this.db.pragma('query_only = ON')
    }
  }

  close(): void {
    this.db.close()
  }

  private prepare(sql: string): Statement<unknown[], Row> {
    try {
      const statement = this.db.prepare<unknown[], Row>(wrap(sql))
      // The text must also be a statement on its own: its parentheses could otherwise close the enclosing
      // ones.
      this.db.prepare(sql)
      return statement
    } catch (error) {
      // The driver's own error for more than one statement.
      if (error instanceof RangeError) throw new StatementError('near ";": syntax error')
      const { message } = error as Error
      // An error about a hidden table would reveal its structure.
      if (/_sheaf_|sqlite_/i.test(sql) && !/syntax|incomplete|token/.test(message))
        throw new StatementError('not authorized')
      throw error
    }
  }

  private explain(sql: string, values: readonly unknown[]): ProgramStep[] {
    const program = this.db.prepare<unknown[], ProgramStep>(`EXPLAIN ${sql}`)
    return program.raw().all(...values)
  }

  private requireHarmless(sql: string, values: readonly unknown[]): void {
    const openable: Openable = {
      isReadable: (root) => this.roots.has(root),
      isReadableVirtual: (pointer) => (this.virtual ??= this.findVirtual()).has(pointer),
    }
    const steps = this.explain(wrap(sql), values)
    const refusal = findRefusal(steps, openable)
    if (refusal !== undefined) throw new StatementError(refusal)
    if (this.purpose === 'lookups' && !hasNoLoop(steps)) throw new StatementError('a loop')
  }

  private keep(sql: string, checked: CheckedStatement): void {
    this.found.delete(sql)
    if (sql.length <= MAX_KEPT_LENGTH) this.found.set(sql, checked)
    const oldest = this.found.keys().next()
    if (this.found.size > MAX_KEPT && !oldest.done) this.found.delete(oldest.value)
  }

  private noteSchema(): void {
    const version = getOnly(this.own.version)
    if (version === this.schemaVersion) return
    this.found.clear()
    this.roots = this.findRoots()
    this.schemaVersion = version
  }

  /** Root pages of the tables that callers may read, and of their indexes. */
  private findRoots(): Set<number> {
    const rows = this.db
      .prepare<[], SchemaRow>(
        `SELECT tbl_name AS owner, rootpage AS root, type IN ('table', 'index') AND (
           substr(tbl_name, 1, 7) = '_grist_'
           OR tbl_name IN (SELECT tableId FROM _grist_Tables)
         ) AS readable FROM sqlite_schema WHERE rootpage > 0`,
      )
      .all()
    const isHidden = ({ owner, readable }: SchemaRow) => !readable || HIDDEN.test(owner)
    // In a manipulated file, a hidden table could be listed under a second name.
    const hidden = new Set(rows.filter(isHidden).map(({ root }) => root))
    const roots = rows.map(({ root }) => root)
    return new Set(roots.filter((root) => root !== SCHEMA_ROOT && !hidden.has(root)))
  }

  /** How EXPLAIN shows the permitted virtual tables; constant while the connection is open. */
  private findVirtual(): Set<string> {
    const found = new Set<string>()
    for (const name of VIRTUAL) {
      try {
        for (const [, step, , , , pointer] of this.explain(`SELECT 1 FROM ${name}('[]')`, []))
          if (step === 'VOpen' && pointer !== null) found.add(pointer)
      } catch {
        // This build of SQLite does not include it.
      }
    }
    return found
  }
}

function toRows({ statement, columns }: CheckedStatement, values: readonly unknown[]): SqlRows {
  return { columns, run: (exact) => statement.safeIntegers(exact).iterate(...values) }
}

function tablesOf(columns: readonly { readonly tableId: string }[]): Set<string> {
  return new Set(columns.map(({ tableId }) => tableId))
}

function dropView(tableId: string): string {
  return `DROP VIEW IF EXISTS temp.${quoteId(tableId)}`
}

/** The row of a statement that always has one. Not that of the store, which a process for SQL would have to load. */
function getOnly<T>(statement: Statement<[], T>): T {
  const row = statement.get()
  if (row === undefined) throw new Error('a statement returned no row')
  return row
}
