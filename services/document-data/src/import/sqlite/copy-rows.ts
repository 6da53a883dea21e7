import { quoteId } from '../../quoting/quote'
import type { DocumentWriter } from '../../store/document'
import type { StoredValue } from '../../values/column-type'
import type { DocumentSize } from '../document-size'
import { badFile, shown, tooMuch } from '../import-errors'
import { importLimits } from '../import-limits'
import type { UploadedDatabase } from './uploaded-database'

/** A column to fill. */
export interface CopiedColumn {
  readonly id: string
  /** Its name in the file; absent when the file does not contain it. */
  readonly from?: string
  /**
   * The value to store for one of the file, in which whole numbers are bigint, or for null when the file has none, in the
   * row with this id.
   */
  readonly store: (value: unknown, rowId: bigint) => StoredValue
}

/** A table to fill, which exists in the document. */
export interface CopiedRows {
  readonly tableId: string
  /** Name of the table in the file. */
  readonly from: string
  /** Column of the file that holds the row ids; absent when rows are numbered in the order of the file. */
  readonly rowId?: string
  readonly columns: readonly CopiedColumn[]
}

/** Called for every row. */
export interface Counting {
  readonly size: DocumentSize
  readonly onRow: () => void
  /** Rows of each table that are copied; undefined for all. */
  readonly mostRows?: number | undefined
}

/** Copies the rows of a table, and returns how many the file has. Throws `invalid` for an invalid row id. */
export function copyRows(
  source: UploadedDatabase,
  target: DocumentWriter,
  { tableId, from, rowId, columns }: CopiedRows,
  { size, onRow, mostRows }: Counting,
): number {
  const place = `table ${shown(tableId)}`
  const read = columns.flatMap((column) => column.from ?? [])
  const wanted = [...(rowId === undefined ? [] : [rowId]), ...read].map(quoteId)
  const names = ['id', ...columns.map(({ id }) => id)].map(quoteId).join(', ')
  const marks = new Array(columns.length + 1).fill('?').join(', ')
  const insert = target.connection.db.prepare(
    `INSERT INTO ${quoteId(tableId)} (${names}) VALUES (${marks})`,
  )
  const rows = source.db
    .prepare<[number], unknown[]>(
      `SELECT ${wanted.join(', ') || '1'} FROM ${quoteId(from)} LIMIT ?`,
    )
    .raw()
    .safeIntegers()
    .iterate(mostRows ?? -1)
  let count = 0
  for (const row of rows) {
    let next = 0
    const id = rowId === undefined ? BigInt(count + 1) : row[next++]
    if (typeof id !== 'bigint' || id < 1n || id > importLimits.rowId)
      throw badFile('a row has an invalid id', place)
    const given = columns.map(({ from: name }) => (name === undefined ? null : row[next++]))
    const values = [id, ...storedRow(columns, id, given, place)]
    size.addRow(values)
    insert.run(values)
    count++
    onRow()
  }
  return mostRows === undefined ? count : countRows(source, from)
}

function storedRow(
  columns: readonly CopiedColumn[],
  id: bigint,
  given: readonly unknown[],
  place: string,
): StoredValue[] {
  let chars = 0
  const values = columns.map((column, i) => {
    const value = column.store(given[i], id)
    if (typeof value === 'string') chars += value.length
    return value
  })
  if (chars > importLimits.rowChars) throw tooMuch('the row is too long', place)
  return values
}

function countRows({ db }: UploadedDatabase, table: string): number {
  const count = db.prepare<[], number>(`SELECT count(*) FROM ${quoteId(table)}`).pluck()
  return count.get() ?? 0
}
