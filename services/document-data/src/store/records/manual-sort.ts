import type { StoredValue } from '../../values/column-type'
import type { DocumentWriter } from '../document'
import type { Table } from '../schema/schema'

/**
 * Remembers how far down rows have been placed by hand, so that new rows go below them. Tables where nobody
 * did that need no such memory: there every row's position is its id.
 */
export function placeBelow(
  doc: DocumentWriter,
  table: Table,
  positions: readonly StoredValue[],
): void {
  let top = table.manualSortTop
  for (const position of positions)
    if (typeof position !== 'string') top = Math.max(top, Number(position))
  if (top <= table.manualSortTop) return
  doc.connection
    .prepare(
      `INSERT INTO _sheaf_tables VALUES (?, ?)
       ON CONFLICT (table_ref) DO UPDATE SET manual_sort_top = excluded.manual_sort_top`,
    )
    .run(table.ref, top)
  doc.schemaChanged()
}
