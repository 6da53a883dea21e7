import { quoteId } from '../quoting/quote'
import type { DocumentWriter } from '../store/document'
import { badFile, shown } from './import-errors'
import { DocumentFile } from './document-file'
import { copyAttachments } from './copy-attachments'
import { copyViews } from './copy-views'
import { copyMetadata, type CopiedTable } from './copy-metadata'
import { soundValue } from './sanitize-values'
import { copyRows, type Counting } from './sqlite/copy-rows'
import type { UploadedDatabase } from './sqlite/uploaded-database'

/** A table of the new document. */
export interface LoadedTable {
  readonly id: string
  readonly rows: number
}

/**
 * Creates a document with the tables and rows of another one. Tables are created from the metadata and every
 * value is checked, so that nothing else in the file reaches the document.
 */
export function copyDocument(
  database: UploadedDatabase,
  target: DocumentWriter,
  counting: Counting,
): LoadedTable[] {
  const source = new DocumentFile(database)
  const tables = copyMetadata(source, target, counting.size)
  const loaded = tables.map((table) => {
    requireColumns(source, table)
    const { tableId } = table
    const place = `table ${shown(tableId)}`
    const columns = table.columns.map((column) => ({
      id: column.id,
      from: column.id,
      store: (value: unknown) => soundValue(value, column, place),
    }))
    const wanted = { tableId, from: tableId, rowId: 'id', columns }
    const rows = copyRows(database, target, wanted, counting)
    rememberPlaces(target, table)
    return { id: tableId, rows }
  })
  copyViews(source, target, counting.size)
  copyAttachments(source, target, counting.size)
  return loaded
}

function requireColumns(source: DocumentFile, { tableId, columns }: CopiedTable): void {
  const there = source.columnsOf(tableId)
  const missing = ['id', ...columns.map(({ id }) => id)].find((name) => !there.has(name))
  if (missing !== undefined)
    throw badFile(`column ${shown(missing)} is missing`, `table ${shown(tableId)}`)
}

/** New rows go below those that were placed by hand. */
export function rememberPlaces(
  target: DocumentWriter,
  { ref, tableId }: Pick<CopiedTable, 'ref' | 'tableId'>,
): void {
  const { connection } = target
  const name = quoteId(tableId)
  const isPlaced = connection.pluck(`SELECT EXISTS (SELECT 1 FROM ${name} WHERE manualSort > id)`)
  if (isPlaced.get() !== 1) return
  const top = connection.pluck(`SELECT max(manualSort) FROM ${name}`).get()
  connection.prepare('INSERT INTO _sheaf_tables VALUES (?, ?)').run(ref, top)
}
