import type { StoredValue } from '../../values/column-type'
import type { DocumentWriter } from '../document'
import type { Table } from '../schema/schema'

/**
 * Records the highest position of rows placed by hand, so that new rows go below them. Other tables do not
 * need it: there every row's position is its id.
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
