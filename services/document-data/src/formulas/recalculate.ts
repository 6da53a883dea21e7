import type { DocumentWriter } from '../store/document'
import type { ColumnOfTable } from './dependencies/formula-columns'

/** Marks all cells of formula columns pending, and lets stopped formulas run again. */
export function recalculate(doc: DocumentWriter, columns: readonly ColumnOfTable[]): void {
  if (columns.length === 0) return
  doc.connection
    .prepare(
      `INSERT INTO _sheaf_formulas (column_ref, pending_after)
       SELECT value, 0 FROM json_each(?) WHERE true
       ON CONFLICT (column_ref) DO UPDATE SET pending_after = 0, stopped = NULL`,
    )
    .run(JSON.stringify(columns.map(({ column }) => column.ref)))
  doc.schemaChanged()
}
