import type { Cell } from '../values/column-type'

/** A value of a file: blank, plain, or a date as the API codes it, `["d", seconds]` or `["D", seconds, "UTC"]`. */
export type ImportedCell = Exclude<Cell, unknown[]> | ImportedDate

/** A day, or an instant, in epoch seconds. */
export type ImportedDate = ['d', number] | ['D', number, string]

/** Takes the tables of a file, one after the other, each row by row. */
export interface RowSink {
  /** What follows belongs to this table. */
  beginTable(name: string): void
  /** Names of its columns from left to right, as far as they are known; each call may only name more. */
  nameColumns(labels: readonly string[]): void
  /** The next row. `place` tells where it stands, for errors. */
  addRow(cells: readonly ImportedCell[], place: () => string): void
}

/** Reads a file from its beginning into a sink. Throws AppError for what is wrong with the file. */
export type RowSource = (sink: RowSink) => Promise<void>
