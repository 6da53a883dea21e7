import { open } from 'node:fs/promises'
import { statSync } from 'node:fs'
import Database from 'better-sqlite3'
import { newestVersion } from '../store/sqlite/migrations/index'
import { badFile, shown, tooMuch, unknownFormat } from './import-errors'

/** Bytes 18 and 19 of a file give its journal mode; 1 is the rollback journal, which needs no second file. */
const MODE_AT = 18
const PLAIN = 1
/** Maximum number of tables, indexes and other schema objects in a file. */
const MAX_OBJECTS = 50_000

const needed = ['_grist_DocInfo', '_grist_Tables', '_grist_Tables_column', '_sheaf_state']

/**
 * An uploaded SQLite file that was downloaded from Sheaf, open for reading. Nothing in its schema is ever
 * executed: no trigger, view, virtual table, generated column, constraint or function of an index.
 */
export class DocumentFile implements Disposable {
  private constructor(
    readonly db: Database.Database,
    private readonly tables: ReadonlySet<string>,
  ) {}

  /**
   * Opens the file and checks it. Throws `invalid` when it is damaged, or contains objects that no document
   * has.
   */
  static async open(path: string): Promise<DocumentFile> {
    await makePlain(path)
    const db = new Database(path, { readonly: true, fileMustExist: true })
    try {
      db.pragma('trusted_schema = OFF')
      db.pragma('cell_size_check = ON')
      db.pragma('ignore_check_constraints = ON')
      db.pragma('temp_store = MEMORY')
      db.pragma('mmap_size = 0')
      requireWhole(db, path)
      const tables = requirePlainSchema(db)
      requireSound(db)
      return new DocumentFile(db, tables)
    } catch (error) {
      db.close()
      throw error
    }
  }

  /** True when there is a table of this name. */
  has(table: string): boolean {
    return this.tables.has(table)
  }

  /** Columns of a table. Throws `invalid` for a missing table, or one with generated columns. */
  columnsOf(table: string): ReadonlySet<string> {
    const rows = this.db.prepare<[string], ColumnRow>(COLUMNS).all(table)
    if (!this.has(table)) throw badFile('the table is missing', `table ${shown(table)}`)
    for (const { name, hidden } of rows)
      if (hidden !== 0)
        throw badFile(`column ${shown(name)} is not a plain column`, `table ${shown(table)}`)
    return new Set(rows.map(({ name }) => name))
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
  // Before the version: Grist counts its versions itself.
  if (db.prepare("SELECT 1 FROM sqlite_schema WHERE name GLOB '_gristsys_*'").get())
    throw unknownFormat(
      'the file is a Grist document, which cannot be imported yet; import its tables as XLSX or CSV',
    )
  const version = get('user_version')
  if (version > newestVersion) throw badFile('the document was written by a newer version of Sheaf')
  if (version < 1) throw notSheaf()
}

const notSheaf = () => badFile('the SQLite file is not a Sheaf document')

const COLUMNS = 'SELECT name, hidden FROM pragma_table_xinfo(?)'

interface ColumnRow {
  readonly name: string
  readonly hidden: number
}

interface SchemaRow {
  readonly type: string
  readonly name: string
  readonly rootpage: number
}

/**
 * The names of the tables. Schema objects that a document never has could execute code when read or written,
 * so they are rejected.
 */
function requirePlainSchema(db: Database.Database): Set<string> {
  const names = new Set<string>()
  const rows = db.prepare<[], SchemaRow>('SELECT type, name, rootpage FROM sqlite_schema').iterate()
  for (const { type, name, rootpage } of rows) {
    if (type !== 'table' && type !== 'index')
      throw badFile(
        `the SQLite file has a ${type} ${shown(name)}, which is not allowed in a Sheaf document`,
      )
    if (!(rootpage > 0))
      throw badFile(
        `the SQLite file has a virtual table ${shown(name)}, which is not allowed in a Sheaf document`,
      )
    if (type === 'table') names.add(name)
    if (names.size > MAX_OBJECTS) throw tooMuch('the SQLite file has too many tables')
  }
  if (needed.some((name) => !names.has(name))) throw notSheaf()
  return names
}

function requireSound(db: Database.Database): void {
  const [row] = db.pragma('quick_check(1)') as Record<string, string>[]
  if (!row || Object.values(row)[0] !== 'ok') throw badFile('the SQLite file is damaged')
}
