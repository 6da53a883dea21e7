import type Database from 'better-sqlite3'
import { newestVersion } from '../store/sqlite/migrations/index'
import { badFile, shown } from './import-errors'
import type { UploadedDatabase } from './sqlite/uploaded-database'

const needed = ['_grist_DocInfo', '_grist_Tables', '_grist_Tables_column', '_sheaf_state']

/** An uploaded SQLite file that was downloaded from Sheaf. */
export class DocumentFile {
  readonly db: Database.Database

  /** Throws `invalid` for a file that is no document of Sheaf, or contains objects that no document has. */
  constructor(private readonly database: UploadedDatabase) {
    this.db = database.db
    const version = Number(this.db.pragma('user_version', { simple: true }))
    if (version > newestVersion)
      throw badFile('the document was written by a newer version of Sheaf')
    if (version < 1) throw notSheaf()
    requirePlainSchema(database)
  }

  /** True when there is a table of this name. */
  has(table: string): boolean {
    return this.database.has(table)
  }

  /** Columns of a table. Throws `invalid` for a missing table, or one with generated columns. */
  columnsOf(table: string): ReadonlySet<string> {
    const columns = this.database.columnsOf(table)
    for (const { name, isPlain } of columns)
      if (!isPlain)
        throw badFile(`column ${shown(name)} is not a plain column`, `table ${shown(table)}`)
    return new Set(columns.map(({ name }) => name))
  }
}

const notSheaf = () => badFile('the SQLite file is not a Sheaf document')

/** Schema objects that a document never has could execute code when read or written, so they are rejected. */
function requirePlainSchema(database: UploadedDatabase): void {
  for (const { type, name, rootpage } of database.objects) {
    if (type !== 'table' && type !== 'index')
      throw badFile(
        `the SQLite file has a ${type} ${shown(name)}, which is not allowed in a Sheaf document`,
      )
    if (!(rootpage > 0))
      throw badFile(
        `the SQLite file has a virtual table ${shown(name)}, which is not allowed in a Sheaf document`,
      )
  }
  if (needed.some((name) => !database.has(name))) throw notSheaf()
}
