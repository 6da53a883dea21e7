import { createHash } from 'node:crypto'
import { quoteId } from '../../quoting/quote'
import type { Connection } from '../sqlite/connections'
import { isOrderTable } from '../indexes/kept-orders'
import { localState } from './local-state'

/** Differences that a comparison reports. */
const MAX_DIFFERENCES = 10

/**
 * Compares two document files in everything that is not local: the tables and their declared columns, every
 * cell by its type and bytes, and the contents of attachments. Returns the first differences in words, which
 * name tables, columns and row ids but no values; an empty list when there are none.
 * @param local the tables that are not compared
 */
export function compareDocuments(a: Connection, b: Connection, local = localState): string[] {
  const found: string[] = []
  const tables = new Set([...listTables(a, local), ...listTables(b, local)])
  for (const table of [...tables].sort())
    for (const difference of compareTable(a, b, table))
      if (found.push(difference) >= MAX_DIFFERENCES) return found
  for (const difference of compareContents(a, b))
    if (found.push(difference) >= MAX_DIFFERENCES) return found
  return found
}

function listTables(connection: Connection, local: Readonly<Record<string, string>>): string[] {
  return connection
    .pluck<string>(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'",
    )
    .all()
    .filter((table) => !Object.hasOwn(local, table) && !isOrderTable(table))
}

type DeclaredColumn = [
  name: string,
  type: string,
  notNull: number,
  fallback: string | null,
  key: number,
]

function declaredColumns(connection: Connection, table: string): DeclaredColumn[] {
  return connection.db
    .prepare<[string], DeclaredColumn>(
      'SELECT name, type, "notnull", dflt_value, pk FROM pragma_table_info(?) ORDER BY cid',
    )
    .raw()
    .all(table)
}

function* compareTable(a: Connection, b: Connection, table: string): Generator<string> {
  const place = `table "${table}"`
  const [left, right] = [declaredColumns(a, table), declaredColumns(b, table)]
  if (left.length === 0 || right.length === 0) {
    yield `${place} is missing on one side`
    return
  }
  const width = Math.max(left.length, right.length)
  for (let i = 0; i < width; i++)
    if (JSON.stringify(left[i]) !== JSON.stringify(right[i])) {
      yield `${place}: the declarations of column ${i + 1} differ (${left[i]?.[0]}, ${right[i]?.[0]})`
      return
    }
  yield* compareRows(
    a,
    b,
    table,
    left.map(([name]) => name),
  )
}

/** Text as its bytes, and blobs likewise; numbers keep their type. */
const cellSql = (name: string) =>
  `CASE typeof(${name}) WHEN 'text' THEN 't' || hex(${name}) WHEN 'blob' THEN 'b' || hex(${name}) ELSE ${name} END`

function* compareRows(
  a: Connection,
  b: Connection,
  table: string,
  columns: readonly string[],
): Generator<string> {
  const cells = columns.map((name) => cellSql(quoteId(name))).join(', ')
  // The keys of some tables have two columns.
  const keys = columns.slice(0, 2).map((_, i) => i + 1)
  const sql = `SELECT ${cells} FROM ${quoteId(table)} NOT INDEXED ORDER BY ${keys.join(', ')}`
  const rowsOf = ({ db }: Connection) =>
    db.prepare<[], unknown[]>(sql).raw().safeIntegers().iterate()
  const [left, right] = [rowsOf(a), rowsOf(b)]
  try {
    for (let count = 1; ; count++) {
      const [l, r] = [nextOf(left), nextOf(right)]
      if (!l && !r) return
      const name = `${rowName(l ?? r, count)} of table "${table}"`
      if (!l || !r || l[0] !== r[0]) {
        yield `${name} is on one side only`
        return
      }
      for (const [i, value] of l.entries())
        if (!Object.is(value, r[i])) yield `column "${columns[i]}" of ${name} differs`
    }
  } finally {
    left.return?.()
    right.return?.()
  }
}

function nextOf(rows: Iterator<unknown[]>): unknown[] | undefined {
  const next = rows.next()
  return next.done ? undefined : next.value
}

function rowName(row: unknown[] | undefined, count: number): string {
  const id = row?.[0]
  return typeof id === 'bigint' ? `row ${id}` : `row number ${count}`
}

const CONTENTS = `
  SELECT l.id, f.id, f.hash, f.size FROM _sheaf_attachments l
    JOIN _sheaf_files f ON f.id = l.file_id AND f.pending IS NULL ORDER BY l.id`

type ContentRow = [id: number, fileId: number, hash: string, size: number]

function* compareContents(a: Connection, b: Connection): Generator<string> {
  const rowsOf = (connection: Connection) =>
    new Map(
      connection
        .raw<ContentRow>(CONTENTS)
        .all()
        .map(([id, ...content]) => [id, content] as const),
    )
  const [left, right] = [rowsOf(a), rowsOf(b)]
  const seen = new Set<string>()
  for (const id of new Set([...left.keys(), ...right.keys()])) {
    const [l, r] = [left.get(id), right.get(id)]
    if (!l || !r) yield `attachment ${id} has contents on one side only`
    else if (l[1] !== r[1] || l[2] !== r[2]) yield `attachment ${id} has other contents`
    else if (!seen.has(l[1])) {
      seen.add(l[1])
      if (hashOf(a, l[0]) !== l[1] || hashOf(b, r[0]) !== r[1])
        yield `the contents of attachment ${id} do not have their hash`
    }
  }
}

function hashOf({ db }: Connection, fileId: number): string {
  const hash = createHash('sha256')
  const chunks = db
    .prepare<[number], Buffer>(
      'SELECT bytes FROM _sheaf_file_chunks WHERE file_id = ? ORDER BY position',
    )
    .pluck()
    .iterate(fileId)
  for (const bytes of chunks) hash.update(bytes)
  return hash.digest('hex')
}
