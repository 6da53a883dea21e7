import type { StoredValue } from '../../values/column-type'
import type { DocumentWriter } from '../document'
import type { Table } from '../schema/schema'

/**
 * Records the highest position of rows placed by hand, so that new rows go below them. Only positions above
 * the id of their row count: any other row is below the highest id anyway. The result follows from the
 * written positions alone, so that redo repeats it from the log.
 */
export function placeBelow(
  doc: DocumentWriter,
  table: Table,
  rowIds: readonly number[],
  positions: readonly StoredValue[],
): void {
  let top = table.manualSortTop
  positions.forEach((position, index) => {
    if (typeof position === 'string') return
    const place = Number(position)
    if (place > (rowIds[index] ?? 0) && place > top) top = place
  })
  if (top <= table.manualSortTop) return
  doc.connection
    .prepare(
      `INSERT INTO _sheaf_tables VALUES (?, ?)
       ON CONFLICT (table_ref) DO UPDATE SET manual_sort_top = excluded.manual_sort_top`,
    )
    .run(table.ref, top)
  doc.schemaChanged()
}
