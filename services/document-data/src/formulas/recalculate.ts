import { quoteId } from '../quoting/quote'
import type { DocumentReader, DocumentWriter } from '../store/document'
import type { ColumnOfTable } from './dependencies/formula-columns'

/** Marks all cells of formula columns pending, and lets stopped formulas run again: trigger formulas for their due cells. */
export function recalculate(doc: DocumentWriter, columns: readonly ColumnOfTable[]): void {
  if (columns.length === 0) return
  doc.connection
    .prepare(
      `INSERT INTO _sheaf_formulas (column_ref, pending_after)
       SELECT value, 0 FROM json_each(?) WHERE true
       ON CONFLICT (column_ref) DO UPDATE SET
         pending_after = 0, stopped = NULL, pending_by = 0,
         pending_fires = iif(pending_after IS NULL, 'all', pending_fires)`,
    )
    .run(JSON.stringify(columns.map(({ column }) => column.ref)))
  doc.schemaChanged()
}

/** What remains to be computed of a column. */
export interface OpenCells {
  /** Rows whose cells are pending. */
  readonly pendingRows: number
  /** Due cells of a trigger formula. */
  readonly dueCells: number
}

/** Counts the cells of a column that remain to be computed. */
export function countOpenCells(
  { connection }: DocumentReader,
  { table, column }: ColumnOfTable,
): OpenCells {
  const { pendingAfter, hasDue, ref } = column
  const count = (from: string, value: number) =>
    connection.pluck<number>(`SELECT count(*) FROM ${from} ?`).get(value) ?? 0
  return {
    pendingRows:
      pendingAfter === undefined ? 0 : count(`${quoteId(table.tableId)} WHERE id >`, pendingAfter),
    dueCells: hasDue ? count('_sheaf_due_cells WHERE column_ref =', ref) : 0,
  }
}
