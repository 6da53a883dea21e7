import type { Cell } from '../values/column-type'

/**
 * A value of a file: blank, plain, or a date in the API's encoding, `["d", seconds]` or `["D", seconds,
 * "UTC"]`.
 */
export type ImportedCell = Exclude<Cell, unknown[]> | ImportedDate

/** A day, or an instant, in epoch seconds. */
export type ImportedDate = ['d', number] | ['D', number, string]

/** Receives the tables of a file in order, each row by row. */
export interface RowSink {
  /** Starts a table. */
  beginTable(name: string): void
  /** Names of its columns from left to right, as far as known; each call may only append names. */
  nameColumns(labels: readonly string[]): void
  /** The next row. `place` is its location, for errors. */
  addRow(cells: readonly ImportedCell[], place: () => string): void
}

/** Reads a file from its beginning into a sink. Throws AppError for faults of the file. */
export type RowSource = (sink: RowSink) => Promise<void>
