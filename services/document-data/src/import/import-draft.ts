import Database from 'better-sqlite3'
import { quoteId } from '../quoting/quote'
import { Connection } from '../store/sqlite/connections'
import { readSchema, type Column, type Table } from '../store/schema/schema'
import type { StoredValue } from '../values/column-type'

/** Rows that are read at once. */
const ROWS = 2_000

/** Rows of a draft, as they are stored. */
export interface DraftRows {
  readonly ids: readonly number[]
  /** The values of each column. */
  readonly values: readonly StoredValue[][]
}

/** The file with the tables of an import, which an import process has made. */
export class ImportDraft implements Disposable {
  readonly tables: readonly Table[]

  private constructor(private readonly connection: Connection) {
    this.tables = readSchema(connection).tables
  }

  static open(path: string): ImportDraft {
    return new ImportDraft(new Connection(new Database(path, { readonly: true })))
  }

  /** The rows of a table by id, some at a time, with the values of these columns. */
  *rows({ tableId }: Table, columns: readonly Column[]): Generator<DraftRows> {
    const names = ['id', ...columns.map(({ id }) => id)].map(quoteId).join(', ')
    const statement = this.connection.db
      .prepare<[number, number], StoredValue[]>(
        `SELECT ${names} FROM ${quoteId(tableId)} WHERE id > ? ORDER BY id LIMIT ?`,
      )
      .raw()
      .safeIntegers()
    for (let last = 0; ;) {
      const rows = statement.all(last, ROWS)
      if (rows.length === 0) return
      const ids = rows.map(([id]) => Number(id))
      yield { ids, values: columns.map((_, i) => rows.map((row) => row[i + 1] ?? null)) }
      last = ids.at(-1) ?? last
    }
  }

  [Symbol.dispose](): void {
    this.connection.close()
  }
}
