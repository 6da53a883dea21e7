import type { ColumnType } from '../../values/column-type'
import { quoteId } from '../../quoting/quote'
import { dropColumnIndex } from '../indexes/auto-indexes'
import { dropTableOrders } from '../indexes/kept-orders'
import type { DocumentWriter } from '../document'
import type { Column } from '../schema/schema'
import { columnDefinition } from '../sqlite/column-definition'

/**
 * Each change of one column makes SQLite read the whole schema again; beyond this number, rewriting the table
 * is cheaper.
 */
const FEW = 8
/** No id begins with an underscore. */
const INTERIM = '_sheaf_interim'

/** A table in SQLite. */
export interface StoredTable {
  readonly ref: number
  readonly tableId: string
}

/** A column of the new layout. */
export interface StoredForm {
  /** Its present id; absent for a new one. */
  readonly from?: string
  readonly id: string
  readonly type: ColumnType
  /** True for a column with a formula, whose cells begin as null. */
  readonly isComputed: boolean
}

/** An existing column that the table retains. */
export function storedForm({ id, type, isFormula, formula }: Column): StoredForm {
  return { from: id, id, type, isComputed: isFormula && formula !== '' }
}

/** Adds columns; rows take their defaults. `present` are the existing ones. */
export function addStoredColumns(
  doc: DocumentWriter,
  table: StoredTable,
  present: readonly StoredForm[],
  added: readonly StoredForm[],
): void {
  if (added.length > FEW) return writeAnew(doc, table, [...present, ...added])
  for (const column of added)
    doc.connection.db.exec(
      `ALTER TABLE ${quoteId(table.tableId)} ADD COLUMN ${columnDefinition(column)}`,
    )
}

/** Removes columns. `kept` are the remaining ones. */
export function dropStoredColumns(
  doc: DocumentWriter,
  table: StoredTable,
  gone: readonly { readonly id: string; readonly ref: number }[],
  kept: readonly StoredForm[],
): void {
  if (gone.length > 1) return writeAnew(doc, table, kept)
  for (const { id, ref } of gone) {
    dropColumnIndex(doc.connection, table.ref, ref)
    doc.connection.db.exec(`ALTER TABLE ${quoteId(table.tableId)} DROP COLUMN ${quoteId(id)}`)
  }
}

/**
 * Renames columns, and removes the text affinity from those that will hold other values: it would convert
 * numbers to text. `columns` are all columns of the table.
 */
export function reshapeStoredColumns(
  doc: DocumentWriter,
  table: StoredTable,
  columns: readonly StoredForm[],
): void {
  const renamed = columns.filter(({ from, id }) => from !== undefined && from !== id)
  const now = new Set(columns.map(({ from = '' }) => from.toLowerCase()))
  const isTaken = ({ from = '', id }: StoredForm) =>
    id.toLowerCase() !== from.toLowerCase() && now.has(id.toLowerCase())
  if (renamed.length > FEW || renamed.some(isTaken) || hasTextIn(doc, table, columns))
    return writeAnew(doc, table, columns)
  for (const { from = '', id } of renamed)
    doc.connection.db.exec(
      `ALTER TABLE ${quoteId(table.tableId)} RENAME COLUMN ${quoteId(from)} TO ${quoteId(id)}`,
    )
}

/** Renames a table. */
export function renameStoredTable(doc: DocumentWriter, tableId: string, to: string): void {
  const { db } = doc.connection
  const rename = (a: string, b: string) =>
    db.exec(`ALTER TABLE ${quoteId(a)} RENAME TO ${quoteId(b)}`)
  if (tableId.toLowerCase() !== to.toLowerCase()) return void rename(tableId, to)
  // SQLite treats a name that differs only in case as taken.
  rename(tableId, INTERIM)
  rename(INTERIM, to)
}

/** True when a column has text affinity and will hold other values. */
function hasTextIn(
  { connection }: DocumentWriter,
  { tableId }: StoredTable,
  columns: readonly StoredForm[],
): boolean {
  const declared = new Map(
    connection.raw<[string, string]>('SELECT name, type FROM pragma_table_info(?)').all(tableId),
  )
  return columns.some(
    ({ from, type }) =>
      from !== undefined && declared.get(from) === 'TEXT' && type.affinity !== 'TEXT',
  )
}

/**
 * Copies the rows into a table with the new layout. Automatic indexes are dropped with the old one,
 * and kept orders before it; both are rebuilt on demand.
 */
function writeAnew(doc: DocumentWriter, table: StoredTable, columns: readonly StoredForm[]): void {
  const { db } = doc.connection
  dropTableOrders(doc.connection, table.ref)
  const [interim, name] = [quoteId(INTERIM), quoteId(table.tableId)]
  const definitions = ['"id" INTEGER PRIMARY KEY', ...columns.map(columnDefinition)]
  const copied = columns.filter(({ from }) => from !== undefined)
  const into = ['id', ...copied.map(({ id }) => id)].map(quoteId).join(', ')
  const outOf = ['id', ...copied.map(({ from = '' }) => from)].map(quoteId).join(', ')
  db.exec(`CREATE TABLE ${interim} (${definitions.join(', ')})`)
  db.exec(`INSERT INTO ${interim} (${into}) SELECT ${outOf} FROM ${name} ORDER BY id`)
  db.exec(`DROP TABLE ${name}`)
  db.exec(`ALTER TABLE ${interim} RENAME TO ${name}`)
}
