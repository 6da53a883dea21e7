import { quoteId } from '../../quoting/quote'
import { fromLog, readEntries, type RowOperation } from '../log/log'
import { listSizedEntries } from '../log/sized-entries'
import type { Table } from '../schema/schema'
import { unfinishedColumns } from '../schema/unfinished-columns'
import { requireRow, type Connection } from '../sqlite/connections'

/*
 * A table as it was at a former moment, without a file of that moment: its rows are those of now, except for those that have
 * changed since, which are few. At the limits it takes the event loop some 20 ms.
 */

/** Entries after the moment, bytes of their operations, … */
const MAX_ENTRIES = 500
const MAX_BYTES = 128 * 1024
/** … rows of the table that they change, and bytes of these rows. */
const MAX_ROWS = 500
const MAX_ROW_BYTES = 1024 * 1024

/** The table of rows that have changed since, as they were, and that of their ids. No table of a document begins with this. */
const REWOUND = '_sheaf_rewound'
const TOUCHED = '_sheaf_touched'

/**
 * The changes of the rows of a table after a moment, latest first; undefined when they are not few, when anything else about
 * the table has changed, or when formulas of the table are being computed. Throws LogDamaged.
 */
export function findRowChanges(
  connection: Connection,
  table: Table,
  { after, upTo }: { readonly after: number; readonly upTo: number },
): RowOperation[] | undefined {
  if (upTo - after > MAX_ENTRIES || unfinishedColumns([table]).length > 0) return undefined
  const entries = listSizedEntries(connection, { from: after + 1, before: upTo + 1 })
  if (entries.reduce((sum, { size }) => sum + size, 0) > MAX_BYTES) return undefined
  const found: RowOperation[] = []
  for (const { operations } of readEntries(connection, { after, upTo, maxBytes: MAX_BYTES }))
    for (const operation of operations ?? [])
      if (operation.tableRef !== table.ref) continue
      else if ('rowIds' in operation) found.push(operation)
      else return undefined
  return hasFewRows(connection, table, found) ? found.reverse() : undefined
}

function hasFewRows(
  connection: Connection,
  table: Table,
  changes: readonly RowOperation[],
): boolean {
  return countRows(changes) <= MAX_ROWS && bytesOf(connection, table, changes) <= MAX_ROW_BYTES
}

/** The number of rows that changes name; a row counts as often as it changed. */
export function countRows(changes: readonly RowOperation[]): number {
  return changes.reduce((sum, { rowIds }) => sum + rowIds.length, 0)
}

/** Bytes of the rows of changes as they are now. SQLite need not read long cells for it. */
function bytesOf(connection: Connection, table: Table, changes: readonly RowOperation[]): number {
  // A sum of each column: an expression with all columns can be too deep for SQLite.
  const sums = table.columns.map(({ id }) => `sum(octet_length(${quoteId(id)}))`)
  const sql = `
    SELECT ${sums.join(', ')} FROM ${quoteId(table.tableId)}
    WHERE id IN (SELECT value FROM json_each(?))`
  const bytes = requireRow(connection.raw<(number | null)[]>(sql).get(idsOf(changes)))
  return bytes.reduce<number>((sum, of) => sum + (of ?? 0), 0)
}

const idsOf = (changes: readonly RowOperation[]) =>
  JSON.stringify([...new Set(changes.flatMap(({ rowIds }) => rowIds))])

/**
 * Makes a connection that can only read show a table as it was before changes of its rows, latest first: a temporary view
 * takes the place of the table. To be called in a transaction that is rolled back.
 */
export function rewindTable(
  connection: Connection,
  table: Table,
  changes: readonly RowOperation[],
): void {
  const { db } = connection
  const name = quoteId(table.tableId)
  const sql = requireRow(
    connection
      .pluck<string>('SELECT sql FROM main.sqlite_schema WHERE name = ?')
      .get(table.tableId),
  )
  // With the affinities of the table. SQLite keeps the first words of a statement in this form.
  db.exec(sql.replace(/^CREATE TABLE ("(?:[^"]|"")*"|\w+)/, `CREATE TEMP TABLE ${REWOUND}`))
  db.exec(`CREATE TEMP TABLE ${TOUCHED} (id INTEGER PRIMARY KEY)`)
  db.prepare(`INSERT INTO ${TOUCHED} SELECT value FROM json_each(?)`).run(idsOf(changes))
  db.exec(`INSERT INTO ${REWOUND} SELECT * FROM main.${name} WHERE id IN ${TOUCHED}`)
  const columnIds = new Map(table.columns.map(({ ref, id }) => [ref, id]))
  for (const change of changes) undoRows(connection, change, columnIds)
  db.exec(`
    CREATE TEMP VIEW ${name} AS
      SELECT * FROM main.${name} WHERE id NOT IN ${TOUCHED} UNION ALL SELECT * FROM ${REWOUND}`)
}

function undoRows(
  connection: Connection,
  { kind, rowIds, columns }: RowOperation,
  columnIds: ReadonlyMap<number, string>,
): void {
  const names = columns.map(({ ref }) => quoteId(columnIds.get(ref) ?? ''))
  const statement = connection.prepare(undoSql(kind, names))
  rowIds.forEach((id, index) => {
    const cells = kind === 'add_rows' ? [] : columns.map(({ old }) => fromLog(old?.[index] ?? null))
    statement.run(...cells, id)
  })
}

function undoSql(kind: RowOperation['kind'], names: readonly string[]): string {
  if (kind === 'add_rows') return `DELETE FROM ${REWOUND} WHERE id = ?`
  if (kind === 'update_rows')
    return `UPDATE ${REWOUND} SET ${names.map((name) => `${name} = ?`).join(', ')} WHERE id = ?`
  const places = names.map(() => '?, ').join('')
  return `INSERT INTO ${REWOUND} (${[...names, 'id'].join(', ')}) VALUES (${places}?)`
}
