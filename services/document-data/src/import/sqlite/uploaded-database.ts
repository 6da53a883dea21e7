import { open } from 'node:fs/promises'
import { statSync } from 'node:fs'
import Database from 'better-sqlite3'
import { quoteId } from '../../quoting/quote'
import { badFile, shown, tooMuch } from '../import-errors'

/** Bytes 18 and 19 of a file give its journal mode; 1 is the rollback journal, which needs no second file. */
const MODE_AT = 18
const PLAIN = 1
/** Maximum number of tables, indexes and other schema objects in a file. */
const MAX_OBJECTS = 50_000

/** What wrote an uploaded SQLite file: Sheaf, Grist, or any other program. */
export type DatabaseKind = 'sheaf' | 'grist' | 'other'

/** An object of the schema of a file. */
export interface SchemaObject {
  /** `table`, `index`, `view` or `trigger`. */
  readonly type: string
  readonly name: string
  /** 0 for a virtual table, and for what is no table. */
  readonly rootpage: number
}

/** A column of a table. */
export interface StoredColumn {
  readonly name: string
  /** The declared type; empty when there is none. */
  readonly type: string
  /** Position in the primary key, from 1; 0 when it is no part of it. */
  readonly pk: number
  /** False for a generated column, and for a hidden one of a virtual table. */
  readonly isPlain: boolean
}

/**
 * An uploaded SQLite file, open for reading. Nothing in its schema is ever executed: only columns of ordinary tables may
 * be read, no view, virtual table or generated column.
 */
export class UploadedDatabase implements Disposable {
  private readonly tables: ReadonlySet<string>

  private constructor(
    readonly db: Database.Database,
    readonly objects: readonly SchemaObject[],
  ) {
    const tables = objects.filter(({ type, rootpage }) => type === 'table' && rootpage > 0)
    this.tables = new Set(tables.map(({ name }) => name))
  }

  /** Opens the file and checks it. Throws `invalid` when it is damaged. */
  static async open(path: string): Promise<UploadedDatabase> {
    await makePlain(path)
    const db = new Database(path, { readonly: true, fileMustExist: true })
    try {
      db.pragma('trusted_schema = OFF')
      db.pragma('cell_size_check = ON')
      db.pragma('ignore_check_constraints = ON')
      db.pragma('temp_store = MEMORY')
      db.pragma('mmap_size = 0')
      requireWhole(db, path)
      const objects = db
        .prepare<[number], SchemaObject>('SELECT type, name, rootpage FROM sqlite_schema LIMIT ?')
        .all(MAX_OBJECTS + 1)
      if (objects.length > MAX_OBJECTS) throw tooMuch('the SQLite file has too many tables')
      const database = new UploadedDatabase(db, objects)
      database.requireSound()
      return database
    } catch (error) {
      db.close()
      throw error
    }
  }

  /** The check of a whole file would also call the modules of virtual tables. */
  private requireSound(): void {
    const isVirtual = this.objects.some(({ type, rootpage }) => type === 'table' && rootpage === 0)
    const checks = isVirtual ? this.tableNames.map(quoteId) : ['1']
    for (const check of checks) {
      const [row] = this.db.pragma(`quick_check(${check})`) as Record<string, string>[]
      if (!row || Object.values(row)[0] !== 'ok') throw badFile('the SQLite file is damaged')
    }
  }

  /** What wrote the file. */
  get kind(): DatabaseKind {
    const names = this.objects.map(({ name }) => name)
    // Grist keeps tables that it does not know.
    if (names.some((name) => name.startsWith('_gristsys_'))) return 'grist'
    return names.some((name) => name.startsWith('_sheaf_')) ? 'sheaf' : 'other'
  }

  /** Names of the ordinary tables, in the order of their creation. */
  get tableNames(): readonly string[] {
    return [...this.tables]
  }

  /** True when there is an ordinary table of this name. */
  has(table: string): boolean {
    return this.tables.has(table)
  }

  /** Columns of a table. Throws `invalid` for a missing table. */
  columnsOf(table: string): StoredColumn[] {
    if (!this.has(table)) throw badFile('the table is missing', `table ${shown(table)}`)
    return this.db
      .prepare<[string], Omit<StoredColumn, 'isPlain'> & { hidden: number }>(
        'SELECT name, type, pk, hidden FROM pragma_table_xinfo(?)',
      )
      .all(table)
      .map(({ hidden, ...column }) => ({ ...column, isPlain: hidden === 0 }))
  }

  /**
   * Those of the given columns that a table has, of up to `most` rows in the order of the first one; whole numbers are
   * bigint. Undefined when there are more rows.
   */
  readSome(
    table: string,
    wanted: readonly string[],
    most: number,
  ): Record<string, unknown>[] | undefined {
    if (!this.has(table)) return []
    const there = new Set(this.columnsOf(table).flatMap((c) => (c.isPlain ? c.name : [])))
    const columns = wanted.filter((column) => there.has(column)).map(quoteId)
    const [first] = columns
    if (first === undefined) return []
    const rows = this.db
      .prepare<[number], Record<string, unknown>>(
        `SELECT ${columns.join(', ')} FROM ${quoteId(table)} ORDER BY ${first} LIMIT ?`,
      )
      .safeIntegers()
      .all(most + 1)
    return rows.length > most ? undefined : rows
  }

  [Symbol.dispose](): void {
    this.db.close()
  }
}

async function makePlain(path: string): Promise<void> {
  const file = await open(path, 'r+')
  try {
    await file.write(Buffer.from([PLAIN, PLAIN]), 0, 2, MODE_AT)
  } finally {
    await file.close()
  }
}

function requireWhole(db: Database.Database, path: string): void {
  const get = (name: string) => Number(db.pragma(name, { simple: true }))
  if (get('page_count') * get('page_size') !== statSync(path).size)
    throw badFile('the SQLite file is truncated or longer than its header says')
}
