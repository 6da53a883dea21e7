import type { RowChange, StoredRows } from './cells-api'

/** A view of the table. */
export interface TableView {
  /** Shows rows as they are stored. */
  store(stored: StoredRows): void
  /** Shows cells as they were sent, until they are read. */
  assume(rows: readonly RowChange[]): void
  /** Shows the entered values of rows, and their states, again. */
  redraw(rowIds: readonly number[]): void
}
