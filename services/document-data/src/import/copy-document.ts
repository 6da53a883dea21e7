import type { DocumentWriter } from '../store/document'
import type { StoredValue } from '../values/column-type'
import { quoteId } from '../quoting/quote'
import { badFile, shown, tooMuch } from './import-errors'
import { importLimits } from './import-limits'
import type { DocumentFile } from './document-file'
import type { DocumentSize } from './document-size'
import { copyAttachments } from './copy-attachments'
import { copyMetadata, type CopiedTable } from './copy-metadata'
import { soundValue } from './sanitize-values'

/** A table of the new document. */
export interface LoadedTable {
  readonly id: string
  readonly rows: number
}

/** Called for every row. */
interface Counting {
  readonly size: DocumentSize
  readonly onRow: () => void
}

/**
 * Creates a document with the tables and rows of another one. Tables are created from the metadata and every
 * value is checked, so that nothing else in the file reaches the document.
 */
export function copyDocument(
  source: DocumentFile,
  target: DocumentWriter,
  counting: Counting,
): LoadedTable[] {
  const tables = copyMetadata(source, target, counting.size)
  const loaded = tables.map((table) => {
    const rows = copyRows(source, target, table, counting)
    rememberPlaces(target, table)
    return { id: table.tableId, rows }
  })
  copyAttachments(source, target, counting.size)
  return loaded
}

function copyRows(
  source: DocumentFile,
  target: DocumentWriter,
  { tableId, columns }: CopiedTable,
  { size, onRow }: Counting,
): number {
  const place = `table ${shown(tableId)}`
  const there = source.columnsOf(tableId)
  const missing = ['id', ...columns.map(({ id }) => id)].find((name) => !there.has(name))
  if (missing !== undefined) throw badFile(`column ${shown(missing)} is missing`, place)
  const names = ['id', ...columns.map(({ id }) => id)].map(quoteId).join(', ')
  const table = quoteId(tableId)
  const marks = new Array(columns.length + 1).fill('?').join(', ')
  const insert = target.connection.db.prepare(`INSERT INTO ${table} (${names}) VALUES (${marks})`)
  const select = source.db.prepare<[], unknown[]>(`SELECT ${names} FROM ${table}`)
  let count = 0
  for (const [id, ...cells] of select.raw().safeIntegers().iterate()) {
    if (typeof id !== 'bigint' || id < 1n || id > importLimits.rowId)
      throw badFile('a row has an invalid id', place)
    const values: StoredValue[] = [id]
    let chars = 0
    for (let i = 0; i < columns.length; i++) {
      const column = columns[i]
      if (!column) continue
      const value = soundValue(cells[i], column, place)
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

/** New rows go below those that were placed by hand. */
function rememberPlaces(target: DocumentWriter, { ref, tableId }: CopiedTable): void {
  const { connection } = target
  const name = quoteId(tableId)
  const isPlaced = connection.pluck(`SELECT EXISTS (SELECT 1 FROM ${name} WHERE manualSort > id)`)
  if (isPlaced.get() !== 1) return
  const top = connection.pluck(`SELECT max(manualSort) FROM ${name}`).get()
  connection.prepare('INSERT INTO _sheaf_tables VALUES (?, ?)').run(ref, top)
}
