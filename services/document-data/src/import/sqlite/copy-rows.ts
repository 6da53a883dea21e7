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
}

/** Copies the rows of a table, and returns their number. Throws `invalid` for an invalid row id. */
export function copyRows(
  source: UploadedDatabase,
  target: DocumentWriter,
  { tableId, from, rowId, columns }: CopiedRows,
  { size, onRow }: Counting,
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
    .prepare<[], unknown[]>(`SELECT ${wanted.join(', ') || '1'} FROM ${quoteId(from)}`)
    .raw()
    .safeIntegers()
    .iterate()
  let count = 0
  for (const row of rows) {
    let next = 0
    const id = rowId === undefined ? BigInt(count + 1) : row[next++]
    if (typeof id !== 'bigint' || id < 1n || id > importLimits.rowId)
      throw badFile('a row has an invalid id', place)
    const values: StoredValue[] = [id]
    let chars = 0
    for (const column of columns) {
      const value = column.store(column.from === undefined ? null : row[next++], id)
      if (typeof value === 'string') chars += value.length
      values.push(value)
    }
    if (chars > importLimits.rowChars) throw tooMuch('the row is too long', place)
    size.addRow(values)
    insert.run(values)
    count++
    onRow()
  }
  return count
}
