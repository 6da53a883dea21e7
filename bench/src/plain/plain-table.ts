import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { columns, type Row } from '../load/rows'

const names = Object.keys(columns) as (keyof Row)[]

/** The single table of the plain server, with its operations. */
export interface PlainTable {
  /** Returns the rows of a query in the parameters of the REST API: `filter`, `sort`, `limit`. */
  fetch(query: URLSearchParams): ({ id: number } & Row)[]
  /** Returns the rows of a trusted statement. */
  query(sql: string): unknown[]
  add(records: readonly { fields: Row }[]): { id: number }[]
  patch(records: readonly { id: number; fields: Partial<Row> }[]): void
  /** Updates the first row that matches each record's `require`, or adds it. */
  addOrUpdate(records: readonly { require: Partial<Row>; fields: Partial<Row> }[]): number[][]
  /** Returns the compacted file. */
  copy(): Buffer
}

/** Creates a file with the table in it, with the durability of a Sheaf document. */
export function createPlainFile(file: string): Database.Database {
  const db = new Database(file)
  db.pragma('journal_mode = WAL')
  db.pragma('synchronous = FULL')
  db.exec(`CREATE TABLE t (id INTEGER PRIMARY KEY, ${names.map((name) => `"${name}"`).join(', ')})`)
  return db
}

/** Opens the table in this folder, and creates it. */
export function openPlainTable(folder: string): PlainTable {
  const db = createPlainFile(join(folder, 'plain.sqlite'))
  db.exec('CREATE VIEW Customers AS SELECT * FROM t')
  const insert = db.prepare(
    `INSERT INTO t (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})`,
  )
  const add = db.transaction((records: readonly { fields: Row }[]) =>
    records.map(({ fields }) => ({
      id: Number(insert.run(names.map((name) => toStored(fields[name]))).lastInsertRowid),
    })),
  )
  const patch = db.transaction((records: readonly { id: number; fields: Partial<Row> }[]) => {
    const given = Object.keys(records[0]?.fields ?? {}) as (keyof Row)[]
    const update = db.prepare(
      `UPDATE t SET ${given.map((name) => `"${name}" = ?`).join(', ')} WHERE id = ?`,
    )
    for (const { id, fields } of records)
      update.run(...given.map((name) => toStored(fields[name])), id)
  })
  const addOrUpdate = db.transaction(
    (records: readonly { require: Partial<Row>; fields: Partial<Row> }[]) =>
      records.map(({ require, fields }) => {
        const id = findRow(db, require)
        if (id === undefined) return add([{ fields: { ...require, ...fields } as Row }])
        patch([{ id, fields }])
        return [{ id }]
      }),
  )
  return {
    fetch: (query) => fetchRows(db, query),
    copy: () => {
      const file = join(folder, 'copy.sqlite')
      rmSync(file, { force: true })
      db.prepare('VACUUM INTO ?').run(file)
      return readFileSync(file)
    },
    query: (sql) => db.prepare(sql).all(),
    addOrUpdate: (records) =>
      addOrUpdate.immediate(records).map((rows) => rows.map(({ id }) => id)),
    add: (records) => add.immediate(records),
    patch: (records) => patch.immediate(records),
  }
}

/** Returns the lowest id of the rows with these values. */
function findRow(db: Database.Database, require: Partial<Row>): number | undefined {
  const names = Object.keys(require) as (keyof Row)[]
  return db
    .prepare(
      `SELECT id FROM t WHERE ${names.map((name) => `"${name}" = ?`).join(' AND ')} ORDER BY id LIMIT 1`,
    )
    .pluck()
    .get(...names.map((name) => toStored(require[name]))) as number | undefined
}

function toStored(value: Row[keyof Row] | undefined): string | number | null {
  return typeof value === 'boolean' ? Number(value) : (value ?? null)
}

function fetchRows(db: Database.Database, query: URLSearchParams): ({ id: number } & Row)[] {
  const filter = JSON.parse(query.get('filter') ?? '{}') as Record<string, unknown[]>
  const wanted = Object.entries(filter)
  const where = wanted.map(([name, values]) => `"${name}" IN (${values.map(() => '?').join(', ')})`)
  const order = (query.get('sort') ?? 'id')
    .split(',')
    .map((key) => (key.startsWith('-') ? `"${key.slice(1)}" DESC` : `"${key}"`))
    .join()
  const condition = where.length > 0 ? `WHERE ${where.join(' AND ')}` : ''
  const limit = Number(query.get('limit') ?? 0) || -1
  return db
    .prepare(`SELECT * FROM t ${condition} ORDER BY ${order}, id LIMIT ?`)
    .all(...wanted.flatMap(([, values]) => values), limit) as ({ id: number } & Row)[]
}
