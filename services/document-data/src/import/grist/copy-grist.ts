import type { DocumentWriter } from '../../store/document'
import type { StoredValue } from '../../values/column-type'
import { storedNumber } from '../../values/numbers/number-storage'
import { rememberPlaces, type LoadedTable } from '../copy-document'
import { shown } from '../import-errors'
import type { ImportNotes } from '../import-notes'
import { copyRows, type CopiedColumn, type Counting } from '../sqlite/copy-rows'
import type { UploadedDatabase } from '../sqlite/uploaded-database'
import { copyGristAttachments } from './grist-attachments'
import { gristCell, isPendingCell, storedGristCell } from './grist-cells'
import type { GristColumn } from './grist-columns'
import { createGristTables, type GristTable } from './grist-metadata'
import { keepFormulaResults } from './kept-results'
import { noteLeftOut } from './left-out'

/**
 * Creates a document with the tables, rows and attachments of a Grist document. Results of formulas are kept until
 * something changes that they depend on. `notes` receives what is left out. Throws `invalid` for a file that
 * contradicts itself, and `too_large` for one beyond the limits.
 */
export function copyGrist(
  source: UploadedDatabase,
  target: DocumentWriter,
  { notes, ...counting }: Counting & { readonly notes: ImportNotes },
): LoadedTable[] {
  const tables = createGristTables(source, target, { size: counting.size, notes })
  const uncomputed = new Set<number>()
  const loaded = tables.map((table) => {
    const { tableId, columns } = table
    const wanted = {
      tableId,
      from: tableId,
      rowId: 'id',
      columns: columns.map((column) => copiedColumn(table, column, uncomputed)),
    }
    const rows = copyRows(source, target, wanted, counting)
    rememberPlaces(target, table)
    return { id: tableId, rows }
  })
  copyGristAttachments(source, target, { size: counting.size, notes })
  keepFormulaResults(target, uncomputed)
  noteLeftOut(source, notes)
  return loaded
}

/** Rows without a position come in the order of their ids. */
function storedPosition(value: unknown, rowId: bigint): StoredValue {
  const stored = typeof value === 'number' ? storedNumber(value) : value
  return typeof stored === 'number' || typeof stored === 'bigint' ? stored : rowId
}

function copiedColumn(
  { tableId }: GristTable,
  column: GristColumn,
  uncomputed: Set<number>,
): CopiedColumn {
  const { id, from, ref, isComputed } = column
  const place = `table ${shown(tableId)}`
  if (id === 'manualSort') return { id, ...(from !== undefined && { from }), store: storedPosition }
  if (from === undefined) {
    uncomputed.add(ref)
    return { id, store: () => null }
  }
  return {
    id,
    from,
    store: (value) => {
      const cell = gristCell(value, place)
      if (isComputed && isPendingCell(cell)) {
        uncomputed.add(ref)
        return null
      }
      return storedGristCell(cell, column, place)
    },
  }
}
