import { cutText } from '@sheaf/kit/truncate-text'
import { quoteId } from '../quoting/quote'
import type { DocumentWriter } from '../store/document'
import type { Column } from '../store/schema/schema'
import type { Cell, StoredValue } from '../values/column-type'
import type { LoadedTable } from './copy-document'
import { SAMPLE_ROWS } from './table-survey'

/** A table that an import would create. */
export interface PreviewedTable {
  readonly id: string
  readonly columns: readonly PreviewedColumn[]
  /** Rows that were read. */
  readonly rows: number
  /** The first rows as a JSON list of records. */
  readonly recordsJson: string
}

/** A column that an import would create. */
export interface PreviewedColumn {
  readonly id: string
  readonly label: string
  readonly type: string
  readonly widgetOptions: string
}

/** Characters of a text, or items of a list, that a preview shows. */
const MAX_TEXT = 1_000
const MAX_ITEMS = 50
/** Characters of all rows of a preview; the rows beyond are left out. */
const MAX_CHARS = 4_000_000

/** The tables of a draft with their first rows. */
export function previewTables(
  doc: DocumentWriter,
  tables: readonly LoadedTable[],
): PreviewedTable[] {
  let left = MAX_CHARS
  return tables.map(({ id, rows }) => {
    const columns = doc.schema.get(id).columns.filter(({ hidden }) => !hidden)
    const records: string[] = []
    for (const record of left > 0 ? readFirst(doc, id, columns) : []) {
      left -= record.length
      if (left < 0) break
      records.push(record)
    }
    return { id, rows, columns: columns.map(describe), recordsJson: `[${records.join(',')}]` }
  })
}

function describe({ id, label, typeName: type, widgetOptions }: Column): PreviewedColumn {
  return { id, label, type, widgetOptions }
}

function* readFirst(doc: DocumentWriter, table: string, columns: readonly Column[]) {
  const names = ['id', ...columns.map(({ id }) => id)].map(quoteId).join(', ')
  const rows = doc.connection.db
    .prepare<[number], StoredValue[]>(
      `SELECT ${names} FROM ${quoteId(table)} ORDER BY manualSort, id LIMIT ?`,
    )
    .raw()
    .iterate(SAMPLE_ROWS)
  for (const [id, ...values] of rows) {
    const fields = columns.map(({ id: name, type }, i) => [
      name,
      shortened(type.fromStored(values[i] ?? null)),
    ])
    yield JSON.stringify({ id, fields: Object.fromEntries(fields) as object })
  }
}

function shortened(cell: Cell): Cell {
  if (typeof cell === 'string') return cutText(cell, MAX_TEXT)
  return Array.isArray(cell) ? cell.slice(0, MAX_ITEMS) : cell
}
